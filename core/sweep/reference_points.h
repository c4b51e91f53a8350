#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/base/result.h"
#include "core/sweep/sweep.h"

namespace ts::sweep {

// Step times that others published, drawn faintly beside the measured ones: never mixed with them,
// always named with their hardware. Values that were not printed are left out, never interpolated.
struct ReferenceSeries {
  std::string name;      // "A2 naive, d = 16"
  std::string hardware;  // "RTX 4060 Laptop 8 GB, torch 2.9.1"
  // Settings that a point must have: name and value, as to_json(WorkloadSpec) writes them.
  std::vector<std::pair<std::string, std::string>> match;
  spec::Field axis = spec::Field::T;
  std::vector<std::pair<std::int64_t, double>> step_ms;  // value of the axis, milliseconds
};

// Reads assets/reference_points.json. Errors name the series.
base::Result<std::vector<ReferenceSeries>> parse_references(std::string_view json);

// The references of a workload that the sweep has, over its first axis.
std::vector<ReferenceSeries> references_of(const Sweep& sweep,
                                           std::span<const ReferenceSeries> all);

}  // namespace ts::sweep
