#include "app/session/catalogue.h"

#include "assets/assets.h"
#include "core/base/check.h"

namespace ts::app {

spec::GpuCatalogue built_in_gpus() {
  auto parsed = spec::GpuCatalogue::parse(assets::gpus());
  TS_CHECK(parsed.has_value());  // travels inside the program and is tested
  return std::move(*parsed);
}

predict::CudaScratch built_in_scratch() {
  auto parsed = predict::CudaScratch::parse(assets::cuda_scratch());
  TS_CHECK(parsed.has_value());
  return std::move(*parsed);
}

const std::vector<sweep::ReferenceSeries>& built_in_references() {
  static const std::vector<sweep::ReferenceSeries> all = [] {
    auto parsed = sweep::parse_references(assets::reference_points());
    TS_CHECK(parsed.has_value());
    return std::move(*parsed);
  }();
  return all;
}

const sweep::SweepPresets& built_in_sweeps() {
  static const sweep::SweepPresets presets = [] {
    auto parsed = sweep::SweepPresets::parse(assets::sweeps());
    TS_CHECK(parsed.has_value());
    return std::move(*parsed);
  }();
  return presets;
}

}  // namespace ts::app
