#pragma once

#include <cstdint>
#include <optional>

#include "core/spec/workload_spec.h"
#include "views/common/log_scale.h"

namespace ts::views {

// The whole numbers of a specification by field, for the sliders. Nothing for other fields. If 0
// stands for the value of another field, that value is read, and writing that value stores 0.
std::optional<std::int64_t> slider_number(const spec::WorkloadSpec& spec, spec::Field field);
void set_slider_number(spec::WorkloadSpec& spec, spec::Field field, std::int64_t value);

// The range of a slider: the file's for an open dimension of an own model. Typed numbers may exceed
// it, up to the limits of the specification.
LogScale slider_scale(const spec::WorkloadSpec& spec, spec::Field field);

}  // namespace ts::views
