#pragma once

#include <cstdint>
#include <optional>

#include "core/spec/workload_spec.h"
#include "views/common/log_scale.h"

namespace ts::views {

// The whole numbers of a specification by field, for the sliders. Nothing for other fields. Where 0
// stands for the value of another field, that value is read, and writing it writes 0.
std::optional<std::int64_t> slider_number(const spec::WorkloadSpec& spec, spec::Field field);
void set_slider_number(spec::WorkloadSpec& spec, spec::Field field, std::int64_t value);

// What a slider can reach. Typed numbers may go beyond, up to what the specification allows.
LogScale slider_scale(spec::Field field);

}  // namespace ts::views
