#include <fmt/format.h>

#include "core/text/numbers.h"
#include "views/charts/plot_axis.h"
#include "views/sweep/sweep_figure.h"

namespace ts::views {
namespace {

using run::Measure;
using run::PointStatus;

std::string milliseconds(double ms) {
  return text::duration_ns(ms * 1e6).joined();
}

}  // namespace

std::string slope_words(const std::string& axis, const stats::PowerFit& fit, bool interval) {
  std::string words = axis + "^" + text::decimal(fit.slope, 2);
  if (interval && fit.ci95) {
    words += " [" + text::decimal(fit.ci95->low, 2) + ", " + text::decimal(fit.ci95->high, 2) + "]";
  }
  return words;
}

std::string status_words(const run::SweepPoint& point, const text::Texts& texts) {
  const std::string word = texts(std::string("sweep.status.") + run::to_string(point.status));
  return point.reason.empty() ? word : word + ": " + point.reason;
}

std::string place_words(const run::Sweep& sweep, std::size_t index) {
  const run::SweepPoint& point = sweep.points()[index];
  std::string words = sweep.series()[point.series].label;
  for (std::size_t i = 0; i < point.at.size(); ++i) {
    words += std::string(", ") + run::field_name(sweep.spec().axes[i].field) + " = " +
             text::grouped(point.at[i]);
  }
  return words;
}

std::vector<std::string> point_lines(const SweepFigure& figure, std::size_t index) {
  const auto& t = figure.texts;
  const run::SweepPoint& point = figure.sweep.points()[index];
  const run::PointMeasurement& m = point.measurement;
  std::vector<std::string> lines = {place_words(figure.sweep, index)};
  if (m.step.median_ms >= 0) {
    std::string line = std::string(t("sweep.column.median")) + " " + milliseconds(m.step.median_ms);
    if (m.step.ci95_low_ms >= 0) {
      line +=
          " [" + milliseconds(m.step.ci95_low_ms) + ", " + milliseconds(m.step.ci95_high_ms) + "]";
    }
    lines.push_back(line + ", n = " + std::to_string(m.step.n));
  }
  if (m.step.p90_ms >= 0) {
    std::string line = "P90 " + milliseconds(m.step.p90_ms);
    if (m.step.p99_ms >= 0) line += ", P99 " + milliseconds(m.step.p99_ms);
    lines.push_back(line);
  }
  if (m.peak_allocated >= 0 && point.status == PointStatus::ok) {
    lines.push_back(std::string(t("sweep.column.peak")) + " " +
                    text::bytes(m.peak_allocated).joined());
  }
  if (m.tokens_per_s >= 0) lines.push_back(text::rate(m.tokens_per_s, "tokens").joined());
  if (!m.backend_ran.empty())
    lines.push_back(t("inspector.backend_ran") + std::string(" ") + m.backend_ran);
  if (point.status != PointStatus::ok) lines.push_back(status_words(point, t));
  return lines;
}

std::vector<std::string> finding_lines(const run::Sweep& sweep, const text::Texts& texts) {
  const std::string axis = run::field_name(sweep.spec().axes[0].field);
  std::vector<std::string> lines;
  for (const run::CurveCrossover& one : run::crossovers_of(sweep)) {
    const run::SweepCurve& other = one.crossover.second_is_lower_after ? one.first : one.second;
    const bool time = one.measure == Measure::step_ms;
    lines.push_back(texts(time ? "sweep.finding.faster" : "sweep.finding.smaller",
                          {{"series", one.lower_after().label},
                           {"other", other.label},
                           {"axis", axis},
                           {"value", text::decimal(one.crossover.after, 0)},
                           {"near", text::decimal(one.crossover.at, 0)}}));
  }
  for (const run::CurveSaturation& one : run::saturations_of(sweep)) {
    lines.push_back(texts("sweep.finding.saturation",
                          {{"series", one.curve.label},
                           {"value", text::decimal(one.saturation.at, 0)},
                           {"percent", text::decimal(stats::kSaturationGain * 100, 0)}}));
  }
  for (const run::CurveFit& one : run::fits_of(sweep)) {
    const bool time = one.measure == Measure::step_ms;
    lines.push_back(texts(time ? "sweep.finding.time_slope" : "sweep.finding.memory_slope",
                          {{"series", one.curve.label},
                           {"slope", slope_words(axis, one.fit, true)},
                           {"n", std::to_string(one.fit.n)},
                           {"last", text::decimal(one.last_slope, 2)}}));
  }
  return lines;
}

}  // namespace ts::views
