#pragma once

#include <cstdint>
#include <optional>

#include "core/run/workload_spec.h"
#include "views/common/log_scale.h"

namespace ts::views {

// The whole numbers of a specification by field, for the sliders. Nothing for other fields. Where 0
// stands for the value of another field, that value is read, and writing it writes 0.
std::optional<std::int64_t> slider_number(const run::WorkloadSpec& spec, run::Field field);
void set_slider_number(run::WorkloadSpec& spec, run::Field field, std::int64_t value);

// What a slider can reach. Typed numbers may go beyond, up to what the specification allows.
LogScale slider_scale(run::Field field);

}  // namespace ts::views
