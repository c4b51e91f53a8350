#include "app/catalogue.h"

#include "assets/assets.h"
#include "core/base/check.h"

namespace ts::app {

run::GpuCatalogue built_in_gpus() {
  auto parsed = run::GpuCatalogue::parse(assets::gpus());
  TS_CHECK(parsed.has_value());  // travels inside the program and is tested
  return std::move(*parsed);
}

run::CudaScratch built_in_scratch() {
  auto parsed = run::CudaScratch::parse(assets::cuda_scratch());
  TS_CHECK(parsed.has_value());
  return std::move(*parsed);
}

const std::vector<run::ReferenceSeries>& built_in_references() {
  static const std::vector<run::ReferenceSeries> all = [] {
    auto parsed = run::parse_references(assets::reference_points());
    TS_CHECK(parsed.has_value());
    return std::move(*parsed);
  }();
  return all;
}

const run::SweepPresets& built_in_sweeps() {
  static const run::SweepPresets presets = [] {
    auto parsed = run::SweepPresets::parse(assets::sweeps());
    TS_CHECK(parsed.has_value());
    return std::move(*parsed);
  }();
  return presets;
}

}  // namespace ts::app
