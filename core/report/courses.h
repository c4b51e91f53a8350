#pragma once

#include <optional>
#include <string>

#include "core/io/text_table.h"
#include "core/run/engine.h"
#include "core/spec/workload_traits.h"

namespace ts::report {

// The name of the exact line among the courses of a run, if it has one.
inline constexpr const char* kExactCourse = "exact";

// Largest y of the course with that name; unset if there is none or it has no number.
std::optional<double> largest_of(const run::ExecutionFacts& facts, std::string_view name);

// One row for each x, a column for each course; all courses of a run have the same x. Cells without
// a number are empty.
io::TextTable course_table(const run::ExecutionFacts& facts, const spec::CourseAxes& axes);

}  // namespace ts::report
