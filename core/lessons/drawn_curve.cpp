#include "core/lessons/drawn_curve.h"

#include <algorithm>
#include <cmath>

#include "core/spec/spec_fields.h"
#include "core/stats/fits.h"
#include "core/text/joined.h"
#include "core/text/message.h"
#include "core/text/numbers.h"
#include "core/text/typed_numbers.h"

namespace ts::lessons {
namespace {

const StepPlan* plan_of_curve(const Lesson& lesson, Tier tier) {
  if (!lesson.question || !lesson.question->curve) return nullptr;
  const Step* const step = lesson.step(lesson.question->curve->step);
  if (step == nullptr) return nullptr;
  const auto& plan = step->plans[static_cast<std::size_t>(tier)];
  return plan && plan->kind == StepKind::sweep && plan->sweep.axes.size() == 1 ? &*plan : nullptr;
}

std::optional<double> point_value(const std::string& text, Unit unit) {
  if (unit == Unit::bytes) {
    const auto bytes = text::parse_bytes(text);
    return bytes ? std::optional(static_cast<double>(*bytes)) : std::nullopt;
  }
  return text::parse_real(text);
}

std::optional<double> value_at(const std::vector<CurvePoint>& points, double x) {
  const auto found = std::ranges::find(points, x, &CurvePoint::x);
  return found == points.end() ? std::nullopt : std::optional(found->y);
}

std::vector<CurvePoint> curve_of(const StepPlan& plan, const CurveQuestion& curve,
                                 const std::string& quantity, const nlohmann::json& document) {
  std::vector<CurvePoint> points;
  const auto row = find_quantity(StepKind::sweep, quantity);
  if (!row) return points;
  const sweep::SweepAxis& axis = plan.sweep.axes.front();
  for (const std::int64_t value : axis.values) {
    const std::string place =
        std::string(spec::field_name(axis.field)) + " = " + std::to_string(value);
    const std::string argument = curve.series.empty() ? place : curve.series + ", " + place;
    const auto number = read_quantity(**row, document, argument);
    if (number) points.push_back({static_cast<double>(value), *number});
  }
  return points;
}

}  // namespace

std::vector<double> curve_places(const Lesson& lesson, Tier tier) {
  std::vector<double> places;
  if (const StepPlan* const plan = plan_of_curve(lesson, tier)) {
    for (const std::int64_t value : plan->sweep.axes.front().values)
      places.push_back(static_cast<double>(value));
  }
  return places;
}

Unit curve_unit(const CurveQuestion& curve) {
  const auto row = find_quantity(StepKind::sweep, curve.quantity);
  return row ? (*row)->unit : Unit::number;
}

CurveRange curve_range(const CurveQuestion& curve, Tier tier) {
  const auto& range = curve.ranges[static_cast<std::size_t>(tier)];
  return range ? CurveRange{range->first, range->second} : CurveRange{};
}

base::Result<std::vector<CurvePoint>> parse_curve(const Lesson& lesson, Tier tier,
                                                  const std::string& text) {
  const std::vector<double> places = curve_places(lesson, tier);
  const Unit unit = curve_unit(*lesson.question->curve);
  const auto wrong = [&](const std::string& part) {
    return text::fail("lesson_error.curve",
                      {{"part", part}, {"places", text::joined(places, ", ", text::plain)}});
  };
  std::vector<CurvePoint> points;
  for (const std::string_view piece : text::pieces(text, ',')) {
    const std::string part(piece);
    const std::size_t colon = part.find(':');
    if (colon == std::string::npos) return wrong(part);
    const auto x = text::parse_count(part.substr(0, colon));
    const auto y = point_value(part.substr(colon + 1), unit);
    const bool there = x && std::ranges::find(places, static_cast<double>(*x)) != places.end();
    if (!there || !y || !(*y > 0) || !std::isfinite(*y)) return wrong(part);
    if (value_at(points, static_cast<double>(*x))) return wrong(part);
    points.push_back({static_cast<double>(*x), *y});
  }
  if (points.size() < 2) return wrong(text);
  std::ranges::sort(points, {}, &CurvePoint::x);
  return points;
}

std::string curve_text(const std::vector<CurvePoint>& points, Unit unit) {
  std::string words;
  for (const CurvePoint& point : points) {
    words += (words.empty() ? "" : ",") + text::plain(point.x) + ":";
    words += unit == Unit::bytes ? std::to_string(std::llround(point.y))
                                 : text::plain(std::stod(text::fixed(point.y, 6)));
  }
  return words;
}

FoundCurve find_curve(const Lesson& lesson, Tier tier, const Documents& documents) {
  FoundCurve found;
  const StepPlan* const plan = plan_of_curve(lesson, tier);
  if (plan == nullptr) return found;
  const CurveQuestion& curve = *lesson.question->curve;
  const auto document = documents.find(curve.step);
  if (document == documents.end()) return found;
  if (plan->gpu.empty()) found.measured = curve_of(*plan, curve, curve.quantity, document->second);
  found.predicted = curve_of(*plan, curve, "predicted_" + curve.quantity, document->second);
  return found;
}

double curve_slope(const Lesson& lesson, Tier tier, const std::vector<CurvePoint>& points) {
  const StepPlan* const plan = plan_of_curve(lesson, tier);
  const auto slope_over = [&](bool fitted) {
    std::vector<double> x, y;
    for (const CurvePoint& point : points) {
      const bool inside = plan == nullptr || plan->fit.holds(static_cast<std::int64_t>(point.x));
      if (fitted && !inside) continue;
      x.push_back(point.x);
      y.push_back(point.y);
    }
    return stats::fit_power_law(x, y);
  };
  auto fit = slope_over(true);
  if (!fit) fit = slope_over(false);
  return fit ? fit->slope : 0;
}

std::optional<CurveError> curve_error(const Lesson& lesson, Tier tier, const Findings& findings,
                                      const Guess& guess) {
  const auto& truth = findings.curve.truth();
  std::vector<CurvePoint> drawn, known;
  double logarithms = 0;
  for (const CurvePoint& point : guess.points) {
    const auto y = value_at(truth, point.x);
    if (!y || !(*y > 0)) continue;
    drawn.push_back(point);
    known.push_back({point.x, *y});
    logarithms += std::log(point.y / *y);
  }
  if (drawn.size() < 2) return std::nullopt;
  return CurveError{.slope = curve_slope(lesson, tier, drawn),
                    .true_slope = curve_slope(lesson, tier, known),
                    .ratio = std::exp(logarithms / static_cast<double>(drawn.size()))};
}

}  // namespace ts::lessons
