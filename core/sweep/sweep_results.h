#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/stats/fits.h"
#include "core/sweep/sweep.h"

namespace ts::sweep {

// What the points of a sweep say together, over its first axis. Only points that were measured and
// went well count, and for peak_predicted those that were predicted, beyond the edge too; fits
// start anew with every point that arrives.

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

// Of one point, with its 95 % confidence interval (low = high = y where there is none); y is NaN
// where the point has no such number.
stats::CurvePoint value_of(const Sweep& sweep, std::size_t point, Measure measure);

struct CurveFit {
  SweepCurve curve;
  Measure measure = Measure::step_ms;
  stats::PowerFit fit;
  double last_slope = 0;  // between the last two points: where constant parts matter least
  std::vector<std::size_t> points;  // that were fitted, in the order of fit.residuals
};
// Values of the first axis that are fitted, both ends with them; 0: no end.
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
// Of every pair of curves at the same value of the second axis: step time, of points that ran often
// enough for an interval (six steps), and peak memory.
std::vector<CurveCrossover> crossovers_of(const Sweep& sweep);

struct CurveSaturation {
  SweepCurve curve;
  stats::Saturation saturation;
};
inline constexpr const char* kSaturationRule =
    "first batch from which on tokens/s gain less than 10 % per doubling";
// How far predicted peaks are from measured ones, over the points that have both.
struct PredictionError {
  int n = 0;
  double worst_percent = 0;  // predicted over measured less 1, of the point farthest off
  std::size_t worst_point = 0;
};
PredictionError prediction_error(const Sweep& sweep);

// Throughput against the batch: empty unless the first axis is B.
std::vector<CurveSaturation> saturations_of(const Sweep& sweep);

}  // namespace ts::sweep
