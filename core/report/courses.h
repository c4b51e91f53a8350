#pragma once

#include <optional>
#include <string>

#include "core/io/text_table.h"
#include "core/run/engine.h"

namespace ts::report {

// What the courses of a workload are of. The name of the courses' own exact line, where they have
// one, is kExactCourse.
inline constexpr const char* kExactCourse = "exact";
struct CourseAxes {
  const char* x = "";  // "additions", "scale"; as files name them
  const char* y = "";
  bool log = false;  // both
};
// accumulation: the running sum against the number of additions so far.
// layernorm: the largest difference from fp64 over the largest exact value, against the scale of
// the input; NaN where a number came out as inf or nan.
CourseAxes course_axes(spec::WorkloadKind workload);

// Largest y of the course with that name; unset if there is none or it has no number.
std::optional<double> largest_of(const run::ExecutionFacts& facts, std::string_view name);

// One row for each x, a column for each course; all courses of a run have the same x. Cells of what
// is no number are empty.
io::TextTable course_table(const run::ExecutionFacts& facts, const CourseAxes& axes);

}  // namespace ts::report
