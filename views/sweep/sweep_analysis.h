#pragma once

#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "core/sweep/reference_points.h"
#include "core/sweep/sweep_results.h"
#include "core/sweep/sweep_theory.h"

namespace ts::views {

// The data of a sweep that every panel needs and that take too long to compute in every frame.
struct SweepAnalysis {
  std::vector<sweep::SweepCurve> curves;
  std::vector<sweep::CurveFit> fits;
  std::vector<sweep::CurveCrossover> crossovers;
  std::vector<sweep::CurveSaturation> saturations;
  std::vector<sweep::ReferenceSeries> references;  // those that fit this sweep
  // For every point; an estimated time is negative if there is none.
  std::vector<std::optional<sweep::PointTheory>> theories;
  std::vector<double> estimated_step_ms = {};
  std::vector<sweep::BeatenBound> beaten = {};  // reasons why points are faster than their bounds
};
SweepAnalysis analyse(const sweep::Sweep& sweep, sweep::FitRange fit,
                      std::span<const sweep::ReferenceSeries> references);

// Keeps the last analysis until the sweep, the fitted range or the published series change.
class SweepAnalysisCache {
 public:
  std::shared_ptr<const SweepAnalysis> of(const sweep::Sweep& sweep, sweep::FitRange fit,
                                          std::span<const sweep::ReferenceSeries> references);

 private:
  std::shared_ptr<const SweepAnalysis> last_;
  const sweep::Sweep* sweep_ = nullptr;
  std::uint64_t version_ = 0;
  sweep::FitRange fit_;
  const sweep::ReferenceSeries* references_ = nullptr;
};

}  // namespace ts::views
