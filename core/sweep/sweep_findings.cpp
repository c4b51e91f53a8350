// The findings of a sweep, and how its values were measured, in sentences.
#include <fmt/format.h>

#include <algorithm>

#include "core/spec/spec_fields.h"
#include "core/sweep/sweep_findings.h"
#include "core/sweep/sweep_table.h"
#include "core/text/message.h"
#include "core/text/numbers.h"

namespace ts::sweep {
namespace {

std::string range_text(const SweepAxis& axis) {
  const bool one = axis.values.size() == 1;
  return fmt::format("{} {}{}", spec::field_name(axis.field), text::grouped(axis.values.front()),
                     one ? "" : " to " + text::grouped(axis.values.back()));
}

base::Message measure_text(Measure measure) {
  switch (measure) {
    case Measure::step_ms:
      return text::message("sweep.finding.measure.time");
    case Measure::peak_allocated:
      return text::message("sweep.finding.measure.memory");
    case Measure::peak_predicted:
      return text::message("sweep.finding.measure.predicted");
    case Measure::tokens_per_s:
    case Measure::samples_per_s:
      break;
  }
  return text::message("sweep.finding.measure.throughput");
}

base::Message slope_finding(const Sweep& sweep, const std::string& axis, const CurveFit& one,
                            FitRange range) {
  const stats::PowerFit& fit = one.fit;
  base::Message ci, r2, from;
  if (fit.ci95) {
    ci = text::message("sweep.finding.slope_ci", {{"low", text::decimal(fit.ci95->low, 2)},
                                                  {"high", text::decimal(fit.ci95->high, 2)}});
  }
  if (fit.r2 && fit.n >= 3)
    r2 = text::message("sweep.finding.slope_r2", {{"r2", text::decimal(*fit.r2, 4)}});
  if (range.low > 0 || range.high > 0) {
    const auto value_at = [&](std::size_t point) {
      return text::grouped(sweep.points()[point].at[0]);
    };
    from = text::message("sweep.finding.slope_range", {{"axis", axis},
                                                       {"low", value_at(one.points.front())},
                                                       {"high", value_at(one.points.back())}});
  }
  return text::message("sweep.finding.slope", {{"series", one.curve.label},
                                               text::argument("measure", measure_text(one.measure)),
                                               {"axis", axis},
                                               {"slope", text::decimal(fit.slope, 2)},
                                               text::argument("ci", ci),
                                               text::argument("r2", r2),
                                               text::argument("range", from),
                                               {"n", std::to_string(fit.n)},
                                               {"last", text::decimal(one.last_slope, 2)}});
}

// "0: 25.03 ± 12.01, 1: 21.00 ± 0.31": mean and standard deviation in ms by the number of warm-ups.
std::string warm_up_values(const Sweep& sweep, const SweepCurve& curve) {
  std::string values;
  for (const std::size_t index : curve.points) {
    const SweepPoint& point = sweep.points()[index];
    const run::TimingSummary& step = point.measurement.step;
    if (point.status != PointStatus::ok || step.std_ms < 0) continue;
    values += fmt::format("{}{}: {} \xc2\xb1 {}", values.empty() ? "" : ", ", point.at[0],
                          text::decimal(step.mean_ms, 2), text::decimal(step.std_ms, 2));
  }
  return values;
}

base::Message crossover_finding(const std::string& axis, const CurveCrossover& one) {
  const SweepCurve& other = one.crossover.second_is_lower_after ? one.first : one.second;
  const bool time = one.measure == Measure::step_ms;
  return text::message(time ? "sweep.finding.faster" : "sweep.finding.smaller",
                       {{"series", one.lower_after().label},
                        {"other", other.label},
                        {"axis", axis},
                        {"value", text::decimal(one.crossover.after, 0)},
                        {"near", text::decimal(one.crossover.at, 0)}});
}

base::Message prediction_finding(const Sweep& sweep, const PredictionError& error) {
  const std::string n = std::to_string(error.n);
  if (error.worst_percent == 0) return text::message("sweep.finding.prediction_exact", {{"n", n}});
  return text::message(
      "sweep.finding.prediction",
      {{"n", n},
       {"percent", (error.worst_percent > 0 ? "+" : "") + text::decimal(error.worst_percent, 2)},
       {"place", point_text(sweep, sweep.points()[error.worst_point])}});
}

}  // namespace

std::vector<CurveFit> fits_with_news(std::span<const CurveFit> fits) {
  std::vector<CurveFit> all;
  int measured = 0;  // points of the curve's measured memory; its prediction comes after it
  for (const CurveFit& one : fits) {
    if (one.measure == Measure::step_ms) measured = 0;
    if (one.measure == Measure::peak_allocated) measured = one.fit.n;
    if (one.measure != Measure::peak_predicted || one.fit.n > measured) all.push_back(one);
  }
  return all;
}

std::vector<base::Message> findings_beside_slopes(const Sweep& sweep,
                                                  std::span<const CurveCrossover> crossovers,
                                                  std::span<const BeatenBound> beaten,
                                                  std::span<const CurveSaturation> saturations) {
  const std::string axis = spec::field_name(sweep.spec().axes[0].field);
  std::vector<base::Message> all;
  for (const CurveCrossover& one : crossovers) all.push_back(crossover_finding(axis, one));
  if (const PredictionError error = prediction_error(sweep); error.n > 0)
    all.push_back(prediction_finding(sweep, error));
  for (const BeatenBound& one : beaten) {
    all.push_back(
        text::message("sweep.finding.beaten", {{"points", std::to_string(one.points)},
                                               {"total", std::to_string(sweep.points().size())},
                                               text::argument("why", one.why)}));
  }
  for (const CurveSaturation& one : saturations) {
    all.push_back(text::message("sweep.finding.saturation",
                                {{"series", one.curve.label},
                                 {"value", text::decimal(one.saturation.at, 0)},
                                 {"percent", text::decimal(stats::kSaturationGain * 100, 0)}}));
  }
  if (!studies_warm_up(sweep)) return all;
  for (const SweepCurve& curve : curves_of(sweep)) {
    std::string values = warm_up_values(sweep, curve);
    if (values.empty()) continue;
    all.push_back(text::message("sweep.finding.warm_up",
                                {{"series", curve.label}, {"values", std::move(values)}}));
  }
  return all;
}

std::vector<base::Message> findings(const Sweep& sweep, FitRange range) {
  const std::string axis = spec::field_name(sweep.spec().axes[0].field);
  std::vector<base::Message> all;
  const std::vector<CurveFit> fits = fits_of(sweep, range);
  if (fits.empty() && !fits_of(sweep).empty()) {
    all.push_back(text::message(
        "sweep.finding.no_slopes",
        {{"axis", axis}, {"low", text::grouped(range.low)}, {"high", text::grouped(range.high)}}));
  }
  for (const CurveFit& one : fits_with_news(fits))
    all.push_back(slope_finding(sweep, axis, one, range));
  for (base::Message& one :
       findings_beside_slopes(sweep, crossovers_of(sweep), beaten_bounds(sweep, theories_of(sweep)),
                              saturations_of(sweep)))
    all.push_back(std::move(one));
  return all;
}

namespace {

const char* reason_key(const SweepPoint& point) {
  switch (point.status) {
    case PointStatus::oom:
      return "sweep.reason.oom";
    case PointStatus::too_slow:
      return "sweep.reason.too_slow";
    case PointStatus::failed:
      return "sweep.reason.failed";
    default:
      return "sweep.reason.other";
  }
}

}  // namespace

std::vector<base::Message> reasons_of(const Sweep& sweep) {
  std::vector<base::Message> reasons;
  for (const SweepPoint& point : sweep.points()) {
    if (point.status == PointStatus::ok || point.reason.empty()) continue;
    reasons.push_back(text::message(reason_key(point), {{"place", point_text(sweep, point)},
                                                        text::argument("reason", point.reason)}));
  }
  return reasons;
}

std::vector<base::Message> sentences_of(const Sweep& sweep, FitRange range) {
  std::vector<base::Message> all = reasons_of(sweep);
  for (base::Message& one : findings(sweep, range)) all.push_back(std::move(one));
  return all;
}

namespace {

// "RTX 4060, 7.20 GiB" for tensors, or several, or "the target's memory" where nothing is
// predicted.
std::string targets_of(const Sweep& sweep) {
  std::vector<std::string> all;
  for (const SweepPoint& point : sweep.points()) {
    const PointPrediction& predicted = point.prediction;
    if (!predicted.known() || predicted.capacity < 0) continue;
    std::string one =
        fmt::format("{}, {}", predicted.target, text::bytes(predicted.capacity).joined());
    if (std::ranges::find(all, one) == all.end()) all.push_back(std::move(one));
  }
  return all.empty() ? "the target's memory" : fmt::format("{}", fmt::join(all, " and "));
}

}  // namespace

std::string sweep_caption(const Sweep& sweep, const std::string& device,
                          const std::string& versions) {
  const SweepSpec& spec = sweep.spec();
  std::string what = to_string(spec.base.workload);
  for (const SweepAxis& axis : spec.axes) what += ", " + range_text(axis);
  what += ";";
  for (std::size_t i = 0; i < sweep.series().size(); ++i) {
    what += (i == 0 ? " " : ", ") + sweep.series()[i].label;
  }
  // Presets of models change the parts of a model.
  const bool models = std::any_of(spec.series.begin(), spec.series.end(),
                                  [](const SweepSeriesField& one) { return !one.field; });
  const auto of_model = [](spec::Field field) {
    return field == spec::Field::d_model || field == spec::Field::heads ||
           field == spec::Field::layers || field == spec::Field::d_ff ||
           field == spec::Field::vocab;
  };
  std::string fixed;
  for (const spec::Field field :
       {spec::Field::B, spec::Field::T, spec::Field::d_model, spec::Field::heads,
        spec::Field::d_head, spec::Field::layers, spec::Field::d_ff, spec::Field::vocab,
        spec::Field::dtype, spec::Field::pass}) {
    bool swept = !spec::field_applies(spec.base, field) || (models && of_model(field));
    for (const SweepAxis& axis : spec.axes) swept = swept || axis.field == field;
    for (const SweepSeriesField& one : spec.series) swept = swept || one.field == field;
    if (swept) continue;
    fixed += fmt::format("{}{} {}", fixed.empty() ? "" : ", ", spec::field_name(field),
                         spec::field_text(spec.base, field));
  }
  const bool measured = std::ranges::any_of(sweep.points(), &SweepPoint::measured);
  if (!measured) {
    return fmt::format(
        "{}. {}. Predicted by dry runs for {}; nothing was run; memory is the peak the allocator "
        "hands out, without what it caches and the CUDA context; {}.",
        what, fixed, targets_of(sweep), versions);
  }
  const run::Protocol& protocol = spec.protocol;
  const std::string steps =
      protocol.min_samples == protocol.max_samples
          ? std::to_string(protocol.min_samples)
          : fmt::format("{} to {}", protocol.min_samples, text::grouped(protocol.max_samples));
  const char* const shown =
      studies_warm_up(sweep)
          ? "Mean of {} timed steps, without recording; error bars are one standard deviation"
          : "Median of {} timed steps after warm-up, without recording; error bars and ranges are "
            "95 % confidence intervals of the median";
  return fmt::format("{}. {}. {}; {}. {}; memory is the peak the allocator handed out.", what,
                     fixed, device, versions, fmt::format(fmt::runtime(shown), steps));
}

}  // namespace ts::sweep
