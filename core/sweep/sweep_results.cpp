#include "core/sweep/sweep_results.h"

#include <array>
#include <cmath>
#include <limits>

namespace ts::sweep {
namespace {

constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();

// Without an interval no time can be surely ahead, so such times are left out; peaks are exact.
std::vector<stats::CurvePoint> sure_values_of(const Sweep& sweep, const SweepCurve& curve,
                                              Measure measure) {
  std::vector<stats::CurvePoint> values;
  for (const std::size_t point : curve.points) {
    const bool sure =
        measure != Measure::step_ms || sweep.points()[point].measurement.step.ci95_low_ms >= 0;
    const stats::CurvePoint value = value_of(sweep, point, measure);
    if (sure && std::isfinite(value.y)) values.push_back(value);
  }
  return values;
}

// The points of a curve in the range that have a value, and their values.
struct Columns {
  std::vector<std::size_t> points;
  std::vector<double> x, y;
};

Columns columns_of(const Sweep& sweep, const SweepCurve& curve, Measure measure, FitRange range) {
  Columns out;
  for (const std::size_t point : curve.points) {
    const stats::CurvePoint value = value_of(sweep, point, measure);
    if (!std::isfinite(value.y) || !range.holds(sweep.points()[point].at[0])) continue;
    out.points.push_back(point);
    out.x.push_back(value.x);
    out.y.push_back(value.y);
  }
  return out;
}

bool same_second_value(const Sweep& sweep, const SweepCurve& a, const SweepCurve& b) {
  const auto& first = sweep.points()[a.points.front()].at;
  const auto& second = sweep.points()[b.points.front()].at;
  return first.size() < 2 || first[1] == second[1];
}

}  // namespace

std::vector<SweepCurve> curves_of(const Sweep& sweep) {
  const std::size_t length = sweep.spec().axes[0].values.size();
  std::vector<SweepCurve> curves;
  for (std::size_t first = 0; first < sweep.points().size(); first += length) {
    const SweepPoint& point = sweep.points()[first];
    SweepCurve curve;
    curve.series = point.series;
    curve.label = sweep.series()[point.series].label;
    if (point.at.size() > 1) {
      curve.label += std::string(", ") + spec::field_name(sweep.spec().axes[1].field) + " = " +
                     std::to_string(point.at[1]);
    }
    for (std::size_t i = 0; i < length; ++i) curve.points.push_back(first + i);
    curves.push_back(std::move(curve));
  }
  return curves;
}

const char* to_string(Measure measure) {
  constexpr std::array kNames = {"step_ms", "peak_allocated", "peak_predicted", "tokens_per_s",
                                 "samples_per_s"};
  return kNames[static_cast<std::size_t>(measure)];
}

bool studies_warm_up(const Sweep& sweep) {
  return sweep.spec().axes[0].field == spec::Field::warmups;
}

stats::CurvePoint value_of(const Sweep& sweep, std::size_t index, Measure measure) {
  const SweepPoint& point = sweep.points()[index];
  stats::CurvePoint out{static_cast<double>(point.at[0]), kNaN, kNaN, kNaN};
  const auto exact = [&out](auto value) {
    if (value >= 0) out.y = out.low = out.high = static_cast<double>(value);
    return out;
  };
  if (measure == Measure::peak_predicted) {
    return point.prediction.known() ? exact(point.prediction.peak_allocated) : out;
  }
  if (point.status != PointStatus::ok) return out;
  const PointMeasurement& m = point.measurement;
  switch (measure) {
    case Measure::peak_predicted:  // handled above
      break;
    case Measure::step_ms:
      if (m.step.median_ms < 0) return out;
      if (studies_warm_up(sweep)) {
        out.y = m.step.mean_ms;
        out.low = std::max(m.step.mean_ms - m.step.std_ms, m.step.mean_ms / 10);
        out.high = m.step.mean_ms + m.step.std_ms;
        break;
      }
      exact(m.step.median_ms);
      if (m.step.ci95_low_ms >= 0) {
        out.low = m.step.ci95_low_ms;
        out.high = m.step.ci95_high_ms;
      }
      break;
    case Measure::peak_allocated:
      return exact(m.peak_allocated);
    case Measure::tokens_per_s:
      return exact(m.tokens_per_s);
    case Measure::samples_per_s:
      return exact(m.samples_per_s);
  }
  return out;
}

std::vector<CurveFit> fits_of(const Sweep& sweep, FitRange range) {
  std::vector<CurveFit> fits;
  if (studies_warm_up(sweep)) return fits;
  for (const SweepCurve& curve : curves_of(sweep)) {
    for (const Measure measure :
         {Measure::step_ms, Measure::peak_allocated, Measure::peak_predicted}) {
      auto [points, x, y] = columns_of(sweep, curve, measure, range);
      auto fit = stats::fit_power_law(x, y);
      if (!fit) continue;
      const std::size_t n = x.size();
      fits.push_back({.curve = curve,
                      .measure = measure,
                      .fit = std::move(*fit),
                      .last_slope = std::log(y[n - 1] / y[n - 2]) / std::log(x[n - 1] / x[n - 2]),
                      .points = std::move(points)});
    }
  }
  return fits;
}

std::vector<CurveCrossover> crossovers_of(const Sweep& sweep) {
  const auto curves = curves_of(sweep);
  std::vector<CurveCrossover> found;
  if (studies_warm_up(sweep)) return found;
  for (std::size_t i = 0; i < curves.size(); ++i) {
    for (std::size_t j = i + 1; j < curves.size(); ++j) {
      if (!same_second_value(sweep, curves[i], curves[j])) continue;
      for (const Measure measure : {Measure::step_ms, Measure::peak_allocated}) {
        for (const stats::Crossover& one :
             stats::crossovers(sure_values_of(sweep, curves[i], measure),
                               sure_values_of(sweep, curves[j], measure))) {
          found.push_back({curves[i], curves[j], measure, one});
        }
      }
    }
  }
  return found;
}

PredictionError prediction_error(const Sweep& sweep) {
  PredictionError out;
  for (std::size_t i = 0; i < sweep.points().size(); ++i) {
    const double measured = value_of(sweep, i, Measure::peak_allocated).y;
    const double predicted = value_of(sweep, i, Measure::peak_predicted).y;
    if (!std::isfinite(measured) || !std::isfinite(predicted) || measured <= 0) continue;
    const double percent = (predicted / measured - 1) * 100;
    if (out.n == 0 || std::abs(percent) > std::abs(out.worst_percent)) {
      out.worst_percent = percent;
      out.worst_point = i;
    }
    ++out.n;
  }
  return out;
}

std::vector<CurveSaturation> saturations_of(const Sweep& sweep) {
  std::vector<CurveSaturation> found;
  if (sweep.spec().axes[0].field != spec::Field::B) return found;
  for (const SweepCurve& curve : curves_of(sweep)) {
    const auto [points, x, y] = columns_of(sweep, curve, Measure::tokens_per_s, {});
    if (const auto knee = stats::saturation(x, y)) found.push_back({curve, *knee});
  }
  return found;
}

}  // namespace ts::sweep
