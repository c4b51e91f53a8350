#include "views/sweep/chart_data.h"

#include <fmt/format.h>

#include <cmath>
#include <map>

#include "views/sweep/sweep_panel.h"

namespace ts::views {
namespace {

using sweep::Measure;

std::string number(double value) {
  return std::isfinite(value) && value >= 0 ? fmt::format("{:.6g}", value) : std::string();
}
// For values that cannot be 0.
std::string positive(double value) {
  return value > 0 ? number(value) : std::string();
}

// The columns of a chart after series, axes and status, and their cells.
struct Data {
  const sweep::Sweep& sweep;
  const SweepAnalysis& analysis;
  std::map<std::size_t, SpeedUp> speed_ups = {};
  std::map<std::size_t, std::pair<double, double>> fitted = {};  // ms, residual in percent

  std::vector<std::string> columns(SweepChart chart) const {
    switch (chart) {
      case SweepChart::time:
        if (sweep::studies_warm_up(sweep)) {
          return {"mean_ms",          "mean_minus_std_ms",
                  "mean_plus_std_ms", "estimated_from_neighbour_ms",
                  "compute_bound_ms", "bandwidth_bound_ms"};
        }
        return {"median_ms",        "ci95_low_ms",
                "ci95_high_ms",     "estimated_from_neighbour_ms",
                "compute_bound_ms", "bandwidth_bound_ms"};
      case SweepChart::memory:
        return {"peak_allocated_bytes", "peak_allocated_predicted_bytes", "limit_bytes"};
      case SweepChart::throughput:
        return {"tokens_per_s"};
      case SweepChart::samples:
        return {"samples_per_s"};
      case SweepChart::speed_up:
        return {"times_faster", "low", "high"};
      case SweepChart::fit:
        return {"median_ms", "fitted_ms", "residual_percent"};
      case SweepChart::roofline:
        return {"flop_per_byte", "tflops_per_s", "peak_tflops", "bandwidth_gb_s"};
      case SweepChart::percentiles:
        return {"p50_ms", "p90_ms", "p99_ms"};
      case SweepChart::parts:
        return {"forward_ms", "backward_ms", "optimizer_ms"};
      case SweepChart::findings:
        break;
    }
    return {};
  }

  std::vector<std::string> cells(SweepChart chart, std::size_t i) const {
    const sweep::SweepPoint& point = sweep.points()[i];
    const sweep::PointMeasurement& m = point.measurement;
    const sweep::PointTheory theory = analysis.theories[i].value_or(sweep::PointTheory{});
    const auto value = [&](Measure measure) { return sweep::value_of(sweep, i, measure); };
    const auto time = value(Measure::step_ms);
    const bool ok = point.status == sweep::PointStatus::ok;
    switch (chart) {
      case SweepChart::time:
        return {number(time.y),
                number(time.low),
                number(time.high),
                positive(analysis.estimated_step_ms[i]),
                positive(theory.compute_ms),
                positive(theory.memory_ms)};
      case SweepChart::memory:
        return {bytes(value(Measure::peak_allocated).y), bytes(value(Measure::peak_predicted).y),
                bytes(static_cast<double>(m.limit > 0 ? m.limit : point.prediction.capacity))};
      case SweepChart::throughput:
        return {number(value(Measure::tokens_per_s).y)};
      case SweepChart::samples:
        return {number(value(Measure::samples_per_s).y)};
      case SweepChart::speed_up: {
        const auto found = speed_ups.find(i);
        if (found == speed_ups.end()) return {"", "", ""};
        return {number(found->second.value), number(found->second.low), number(found->second.high)};
      }
      case SweepChart::fit: {
        const auto found = fitted.find(i);
        if (found == fitted.end()) return {number(time.y), "", ""};
        return {number(time.y), number(found->second.first),
                fmt::format("{:.4g}", found->second.second)};
      }
      case SweepChart::roofline:
        return {theory.bytes > 0 ? number(theory.intensity()) : "",
                ok ? positive(m.tflops_per_s) : "", positive(theory.roofs.tflops),
                positive(theory.roofs.gb_s)};
      case SweepChart::percentiles:
        if (!ok) return {"", "", ""};
        return {number(m.step.median_ms), number(m.step.p90_ms), number(m.step.p99_ms)};
      case SweepChart::parts:
        if (!ok) return {"", "", ""};
        return {number(m.forward_ms), number(m.backward_ms), number(m.optimizer_ms)};
      case SweepChart::findings:
        break;
    }
    return {};
  }

  static std::string bytes(double value) {
    return std::isfinite(value) && value >= 0 ? fmt::format("{:.0f}", value) : std::string();
  }
};

}  // namespace

io::TextTable chart_data(SweepChart chart, const sweep::Sweep& sweep, const SweepAnalysis& analysis,
                         const text::Texts& texts) {
  io::TextTable table;
  if (chart == SweepChart::findings) {
    table.columns = {"finding"};
    for (std::string& line : finding_lines(sweep, analysis, texts)) {
      table.rows.push_back({std::move(line)});
    }
    return table;
  }
  Data data{sweep, analysis};
  if (chart == SweepChart::speed_up) {
    for (std::size_t i = 0; i < sweep.points().size() / sweep.series().size(); ++i) {
      for (const SpeedUp& one : speed_ups_at(sweep, i)) data.speed_ups[one.point] = one;
    }
  }
  for (const sweep::CurveFit& fit : analysis.fits) {
    if (fit.measure != Measure::step_ms) continue;
    for (std::size_t i = 0; i < fit.points.size(); ++i) {
      const auto x = static_cast<double>(sweep.points()[fit.points[i]].at[0]);
      data.fitted[fit.points[i]] = {fit.fit.at(x), std::expm1(fit.fit.residuals[i]) * 100};
    }
  }
  table.columns = {"series"};
  for (const sweep::SweepAxis& axis : sweep.spec().axes) {
    table.columns.emplace_back(spec::field_name(axis.field));
  }
  table.columns.emplace_back("status");
  for (std::string& column : data.columns(chart)) table.columns.push_back(std::move(column));
  for (std::size_t i = 0; i < sweep.points().size(); ++i) {
    const sweep::SweepPoint& point = sweep.points()[i];
    std::vector<std::string> row = {sweep.series()[point.series].label};
    for (const std::int64_t at : point.at) row.push_back(std::to_string(at));
    row.emplace_back(to_string(point.status));
    for (std::string& cell : data.cells(chart, i)) row.push_back(std::move(cell));
    table.rows.push_back(std::move(row));
  }
  return table;
}

}  // namespace ts::views
