#pragma once

#include <optional>
#include <string>
#include <vector>

#include "core/base/result.h"
#include "core/lessons/findings.h"
#include "core/lessons/lesson.h"

// Questions that are answered by a curve over the axis of a sweep, drawn before it is measured.
namespace ts::lessons {

// The values of the axis in that tier; a guess has a point at some of them.
std::vector<double> curve_places(const Lesson& lesson, Tier tier);
// The unit of the points: bytes, ms, tokens/s ...
Unit curve_unit(const CurveQuestion& curve);
// The axis of values on which it is drawn, in that unit.
struct CurveRange {
  double low = 1;
  double high = 10;
};
CurveRange curve_range(const CurveQuestion& curve, Tier tier);

// "128:1 MiB,256:4 MiB": two points or more at places of the axis, in any order, one a place.
base::Result<std::vector<CurvePoint>> parse_curve(const Lesson& lesson, Tier tier,
                                                  const std::string& text);
std::string curve_text(const std::vector<CurvePoint>& points, Unit unit);

// The measured and the predicted curve, as far as the documents have them.
FoundCurve find_curve(const Lesson& lesson, Tier tier, const Documents& documents);

// How the points grow: x to this power, over the range that the sweep fits. Two points or more.
double curve_slope(const Lesson& lesson, Tier tier, const std::vector<CurvePoint>& points);

// The guess beside what is measured, else predicted.
struct CurveError {
  double slope = 0;       // of the guess
  double true_slope = 0;  // at the same places
  double ratio = 1;       // geometric mean of guess over truth
};
// Unset while fewer than two of its points are known.
std::optional<CurveError> curve_error(const Lesson& lesson, Tier tier, const Findings& findings,
                                      const Guess& guess);

}  // namespace ts::lessons
