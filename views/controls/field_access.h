#pragma once

#include <cstdint>
#include <optional>

#include "core/run/workload_spec.h"
#include "views/common/log_scale.h"

namespace ts::views {

// The sizes of a specification by field, for the sliders. Nothing for fields that are no sizes.
std::optional<std::int64_t> number_of(const run::WorkloadSpec& spec, run::Field field);
void set_number(run::WorkloadSpec& spec, run::Field field, std::int64_t value);

// What a slider can reach. Typed numbers may go beyond, up to what the specification allows.
LogScale slider_scale(run::Field field);

}  // namespace ts::views
