#include "views/sweep/sweep_analysis.h"

namespace ts::views {

SweepAnalysis analyse(const sweep::Sweep& sweep, sweep::FitRange fit,
                      std::span<const sweep::ReferenceSeries> references) {
  SweepAnalysis out{.curves = sweep::curves_of(sweep),
                    .fits = sweep::fits_of(sweep, fit),
                    .crossovers = sweep::crossovers_of(sweep),
                    .saturations = sweep::saturations_of(sweep),
                    .references = sweep::references_of(sweep, references),
                    .theories = sweep::theories_of(sweep)};
  for (std::size_t i = 0; i < sweep.points().size(); ++i) {
    out.estimated_step_ms.push_back(sweep.estimated_step_ms(i));
  }
  out.beaten = sweep::beaten_bounds(sweep, out.theories);
  return out;
}

std::shared_ptr<const SweepAnalysis> SweepAnalysisCache::of(
    const sweep::Sweep& sweep, sweep::FitRange fit,
    std::span<const sweep::ReferenceSeries> references) {
  const bool same = last_ != nullptr && sweep_ == &sweep && version_ == sweep.version() &&
                    fit_ == fit && references_ == references.data();
  if (same) return last_;
  last_ = std::make_shared<const SweepAnalysis>(analyse(sweep, fit, references));
  sweep_ = &sweep;
  version_ = sweep.version();
  fit_ = fit;
  references_ = references.data();
  return last_;
}

}  // namespace ts::views
