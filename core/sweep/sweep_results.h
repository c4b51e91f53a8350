#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/stats/fits.h"
#include "core/sweep/sweep.h"

namespace ts::sweep {

// Results over all points of a sweep, along its first axis. Only points that were measured
// successfully count; for peak_predicted those that were predicted, also beyond the edge. Fits are
// computed again when a point arrives.

// The points of one series at one value of the second axis.
struct SweepCurve {
  std::size_t series = 0;
  std::vector<std::size_t> points;  // along the first axis
  std::string label;                // of the series; with two axes "flash, B = 4"
};
std::vector<SweepCurve> curves_of(const Sweep& sweep);

enum class Measure : std::uint8_t {
  step_ms,
  peak_allocated,
  peak_predicted,
  tokens_per_s,
  samples_per_s
};
const char* to_string(Measure measure);

// Whether the first axis is the number of warm-up steps. Such a sweep is about the mean and the
// standard deviation, which the first steps change, so step times are these instead of medians with
// their intervals, a bar ends at a tenth of the mean, and there are no power laws or crossovers.
bool studies_warm_up(const Sweep& sweep);
// The value of one point, with its 95 % confidence interval (low = high = y if there is none); y is
// NaN if the point has no such number.
stats::CurvePoint value_of(const Sweep& sweep, std::size_t point, Measure measure);

struct CurveFit {
  SweepCurve curve;
  Measure measure = Measure::step_ms;
  stats::PowerFit fit = {};
  double last_slope = 0;  // between the last two points: where constant parts matter least
  std::vector<std::size_t> points = {};  // the fitted ones, in the order of fit.residuals
};
// Values of the first axis that are fitted, with inclusive ends; 0: no end.
struct FitRange {
  std::int64_t low = 0;
  std::int64_t high = 0;
  [[nodiscard]] bool holds(std::int64_t value) const {
    return value >= low && (high == 0 || value <= high);
  }
  friend bool operator==(const FitRange&, const FitRange&) = default;
};
// Step time, measured and predicted peak memory of every curve with two points or more.
std::vector<CurveFit> fits_of(const Sweep& sweep, FitRange range = {});

struct CurveCrossover {
  SweepCurve first, second;
  Measure measure = Measure::step_ms;
  stats::Crossover crossover;
  [[nodiscard]] const SweepCurve& lower_after() const {
    return crossover.second_is_lower_after ? second : first;
  }
};
// For every pair of curves at the same value of the second axis: step time, of points with enough
// steps for an interval (six), and peak memory.
std::vector<CurveCrossover> crossovers_of(const Sweep& sweep);

struct CurveSaturation {
  SweepCurve curve;
  stats::Saturation saturation;
};
inline constexpr const char* kSaturationRule =
    "first batch from which on tokens/s gain less than 10 % per doubling";
// The deviation of predicted peaks from measured ones, over the points that have both.
struct PredictionError {
  int n = 0;
  double worst_percent = 0;  // predicted over measured minus 1, of the worst point
  std::size_t worst_point = 0;
};
PredictionError prediction_error(const Sweep& sweep);

// Throughput against the batch: empty unless the first axis is B.
std::vector<CurveSaturation> saturations_of(const Sweep& sweep);

}  // namespace ts::sweep
