#pragma once

#include <optional>

#include "core/io/text_table.h"
#include "core/run/engine.h"
#include "core/spec/workload_traits.h"

namespace ts::report {

// The name of the exact line among the curves of a run, if it has one.
inline constexpr const char* kExactCurve = "exact";

// Largest y of the curve with that name; unset if there is none or it has no number.
std::optional<double> largest_of(const run::ExecutionFacts& facts, std::string_view name);

// One row for each x, a column for each curve; all curves of a run have the same x. Cells without
// a number are empty.
io::TextTable curve_table(const run::ExecutionFacts& facts, const spec::CurveAxes& axes);

}  // namespace ts::report
