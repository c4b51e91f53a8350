#include "app/session/catalogue.h"

#include "assets/assets.h"
#include "core/base/check.h"

namespace ts::app {

spec::GpuCatalogue built_in_gpus() {
  auto parsed = spec::GpuCatalogue::parse(assets::gpus());
  TS_CHECK(parsed.has_value());  // built in and tested
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

const std::vector<lessons::Lesson>& built_in_lessons() {
  static const std::vector<lessons::Lesson> all = [] {
    const spec::GpuCatalogue gpus = built_in_gpus();
    std::vector<lessons::Lesson> read;
    for (const assets::Lesson& one : assets::lessons()) {
      auto lesson = lessons::read_lesson(one.json, std::string(one.name), gpus);
      TS_CHECK(lesson.has_value());  // built in and tested
      read.push_back(std::move(*lesson));
    }
    return read;
  }();
  return all;
}

const lessons::MaterialErrors& built_in_errors() {
  static const lessons::MaterialErrors errors = [] {
    auto parsed = lessons::read_material_errors(assets::lesson_errors());
    TS_CHECK(parsed.has_value());
    return std::move(*parsed);
  }();
  return errors;
}

const std::vector<lessons::Demo>& built_in_demos() {
  static const std::vector<lessons::Demo> demos = [] {
    auto parsed = lessons::read_demos(assets::demos(), built_in_gpus());
    TS_CHECK(parsed.has_value());
    return std::move(*parsed);
  }();
  return demos;
}

const lessons::RowCatalogue& built_in_rows() {
  static const lessons::RowCatalogue rows = [] {
    auto parsed = lessons::read_rows(assets::lesson_rows());
    TS_CHECK(parsed.has_value());
    return std::move(*parsed);
  }();
  return rows;
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
