#include "views/sweep/sweep_analysis.h"

namespace ts::views {

SweepAnalysis analyse(const run::Sweep& sweep, run::FitRange fit,
                      std::span<const run::ReferenceSeries> references) {
  SweepAnalysis out{run::curves_of(sweep),
                    run::fits_of(sweep, fit),
                    run::crossovers_of(sweep),
                    run::saturations_of(sweep),
                    run::references_of(sweep, references),
                    run::theories_of(sweep),
                    {}};
  for (std::size_t i = 0; i < sweep.points().size(); ++i) {
    out.predicted_step_ms.push_back(sweep.predicted_step_ms(i));
  }
  return out;
}

std::shared_ptr<const SweepAnalysis> SweepAnalysisCache::of(
    const run::Sweep& sweep, run::FitRange fit, std::span<const run::ReferenceSeries> references) {
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
