// The findings of a sweep, and how its values were measured, in sentences.
#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "core/sweep/sweep_table.h"
#include "core/sweep/sweep_theory.h"
#include "core/text/numbers.h"

namespace ts::sweep {
namespace {

std::string range_words(const SweepAxis& axis) {
  const bool one = axis.values.size() == 1;
  return fmt::format("{} {}{}", spec::field_name(axis.field), text::grouped(axis.values.front()),
                     one ? "" : " to " + text::grouped(axis.values.back()));
}

const char* measure_words(Measure measure) {
  switch (measure) {
    case Measure::step_ms:
      return "step time";
    case Measure::peak_allocated:
      return "peak memory";
    case Measure::peak_predicted:
      return "predicted peak memory";
    case Measure::tokens_per_s:
    case Measure::samples_per_s:
      break;
  }
  return "throughput";
}

}  // namespace

namespace {

// "forward, mean of a step: 25.0 ms (std 12.0) with warmups = 0, 21.0 ms (std 0.3) with 1".
void add_warm_up_study(const Sweep& sweep, std::vector<std::string>& all) {
  for (const SweepCurve& curve : curves_of(sweep)) {
    std::string values;
    for (const std::size_t point : curve.points) {
      const auto& step = sweep.points()[point].measurement.step;
      if (sweep.points()[point].status != PointStatus::ok || step.mean_ms < 0) continue;
      values += fmt::format("{}{} ms (std {}) with {}{}", values.empty() ? "" : ", ",
                            text::decimal(step.mean_ms, 3), text::decimal(step.std_ms, 3),
                            values.empty() ? "warmups = " : "", sweep.points()[point].at[0]);
    }
    if (!values.empty()) all.push_back(curve.label + ", mean of a step: " + values);
  }
}

}  // namespace

std::vector<std::string> findings(const Sweep& sweep, FitRange range) {
  const std::string axis = spec::field_name(sweep.spec().axes[0].field);
  std::vector<std::string> all;
  int measured = 0;  // points of the curve's measured memory; the fit of its prediction follows
  const std::vector<CurveFit> fits = fits_of(sweep, range);
  if (fits.empty() && !fits_of(sweep).empty()) {
    all.push_back(fmt::format("No slopes: fewer than two points have {} between {} and {}", axis,
                              text::grouped(range.low), text::grouped(range.high)));
  }
  for (const CurveFit& one : fits) {
    if (one.measure == Measure::step_ms) measured = 0;
    if (one.measure == Measure::peak_allocated) measured = one.fit.n;
    if (one.measure == Measure::peak_predicted && one.fit.n <= measured) continue;
    std::string sentence =
        fmt::format("{}: {} grows as {}^{}", one.curve.label, measure_words(one.measure), axis,
                    text::decimal(one.fit.slope, 2));
    std::string about;
    if (one.fit.ci95) {
      about = fmt::format("95 % CI {} to {}, ", text::decimal(one.fit.ci95->low, 2),
                          text::decimal(one.fit.ci95->high, 2));
    }
    if (one.fit.r2 && one.fit.n >= 3)
      about += fmt::format("r2 {}, ", text::decimal(*one.fit.r2, 4));
    if (range.low > 0 || range.high > 0) {
      about += fmt::format("{} from {} to {}, ", axis,
                           text::grouped(sweep.points()[one.points.front()].at[0]),
                           text::grouped(sweep.points()[one.points.back()].at[0]));
    }
    all.push_back(sentence + fmt::format(" ({}n = {}; between the last two points {})", about,
                                         one.fit.n, text::decimal(one.last_slope, 2)));
  }
  if (studies_warm_up(sweep)) add_warm_up_study(sweep, all);
  for (const CurveCrossover& one : crossovers_of(sweep)) {
    const bool time = one.measure == Measure::step_ms;
    const SweepCurve& other = one.crossover.second_is_lower_after ? one.first : one.second;
    all.push_back(fmt::format("{} {} than {} from {} = {} on (measured; the curves cross near {})",
                              one.lower_after().label, time ? "is faster" : "needs less memory",
                              other.label, axis, text::decimal(one.crossover.after, 0),
                              text::decimal(one.crossover.at, 0)));
  }
  if (const PredictionError error = prediction_error(sweep); error.n > 0) {
    const SweepPoint& worst = sweep.points()[error.worst_point];
    const std::string points = fmt::format("{} {}", error.n, error.n == 1 ? "point" : "points");
    all.push_back(
        error.worst_percent == 0
            ? fmt::format("predicted peaks equal the measured ones to the byte, {}", points)
            : fmt::format("predicted peaks against measured ones, {}: worst {}{} % ({}, "
                          "{} = {})",
                          points, error.worst_percent > 0 ? "+" : "",
                          text::decimal(error.worst_percent, 2), sweep.series()[worst.series].label,
                          axis, text::grouped(worst.at[0])));
  }
  for (const BeatenBound& one : beaten_bounds(sweep, theories_of(sweep))) {
    all.push_back(
        fmt::format("{} of {} points: {}", one.points, sweep.points().size(), one.why.sentence));
  }
  for (const CurveSaturation& one : saturations_of(sweep)) {
    all.push_back(fmt::format("{}: throughput saturates at B = {} ({})", one.curve.label,
                              text::decimal(one.saturation.at, 0), kSaturationRule));
  }
  return all;
}

std::string sweep_caption(const Sweep& sweep, const std::string& device,
                          const std::string& versions) {
  const SweepSpec& spec = sweep.spec();
  std::string what = to_string(spec.base.workload);
  for (const SweepAxis& axis : spec.axes) what += ", " + range_words(axis);
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
    const nlohmann::json value = to_json(spec.base).at(spec::field_name(field));
    fixed += fmt::format("{}{} {}", fixed.empty() ? "" : ", ", spec::field_name(field),
                         value.is_string() ? value.get<std::string>() : value.dump());
  }
  const bool measured =
      std::ranges::any_of(sweep.points(), [](const SweepPoint& point) { return point.measured; });
  if (!measured) {
    return fmt::format(
        "{}. {}. Predicted by dry runs for the target's memory; nothing was run; memory is the "
        "peak "
        "the allocator hands out, without what it caches and the CUDA context; {}.",
        what, fixed, versions);
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
