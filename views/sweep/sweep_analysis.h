#pragma once

#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "core/run/reference_points.h"
#include "core/run/sweep_results.h"
#include "core/run/sweep_theory.h"

namespace ts::views {

// What every panel needs of a sweep and what is too much work for every frame.
struct SweepAnalysis {
  std::vector<run::SweepCurve> curves;
  std::vector<run::CurveFit> fits;
  std::vector<run::CurveCrossover> crossovers;
  std::vector<run::CurveSaturation> saturations;
  std::vector<run::ReferenceSeries> references;  // those that fit this sweep
  // Of every point; predicted times negative where nothing is known.
  std::vector<std::optional<run::PointTheory>> theories;
  std::vector<double> predicted_step_ms;
};
SweepAnalysis analyse(const run::Sweep& sweep, run::FitRange fit,
                      std::span<const run::ReferenceSeries> references);

// Keeps the last analysis until the sweep, the fitted range or the published series change.
class SweepAnalysisCache {
 public:
  std::shared_ptr<const SweepAnalysis> of(const run::Sweep& sweep, run::FitRange fit,
                                          std::span<const run::ReferenceSeries> references);

 private:
  std::shared_ptr<const SweepAnalysis> last_;
  const run::Sweep* sweep_ = nullptr;
  std::uint64_t version_ = 0;
  run::FitRange fit_;
  const run::ReferenceSeries* references_ = nullptr;
};

}  // namespace ts::views
