#include "app/session/catalogue.h"

#include <utility>

#include "assets/assets.h"
#include "core/base/check.h"

namespace ts::app {
namespace {

// Built-in files are valid: tests read them all.
template <class T>
T known_good(base::Result<T> parsed) {
  TS_CHECK(parsed.has_value());
  return std::move(*parsed);
}

}  // namespace

spec::GpuCatalogue built_in_gpus() {
  return known_good(spec::GpuCatalogue::parse(assets::gpus()));
}

predict::CudaScratch built_in_scratch() {
  return known_good(predict::CudaScratch::parse(assets::cuda_scratch()));
}

const std::vector<sweep::ReferenceSeries>& built_in_references() {
  static const std::vector<sweep::ReferenceSeries> all =
      known_good(sweep::parse_references(assets::reference_points()));
  return all;
}

const std::vector<lessons::Lesson>& built_in_lessons() {
  static const std::vector<lessons::Lesson> all = [] {
    const spec::GpuCatalogue gpus = built_in_gpus();
    std::vector<lessons::Lesson> found;
    for (const assets::Lesson& one : assets::lessons())
      found.push_back(known_good(lessons::read_lesson(one.json, std::string(one.name), gpus)));
    return found;
  }();
  return all;
}

const lessons::MaterialErrors& built_in_errors() {
  static const lessons::MaterialErrors errors =
      known_good(lessons::read_material_errors(assets::lesson_errors(), built_in_gpus()));
  return errors;
}

const lessons::Lesson* built_in_lesson(std::string_view id) {
  const auto& all = built_in_lessons();
  const auto found = std::ranges::find(all, id, &lessons::Lesson::id);
  if (found != all.end()) return &*found;
  for (const lessons::MaterialError& one : built_in_errors().errors) {
    if (one.both && one.both->id == id) return &*one.both;
  }
  return nullptr;
}

const std::vector<advice::Tree>& built_in_trees() {
  static const std::vector<advice::Tree> trees = known_good(advice::read_trees(assets::trees()));
  return trees;
}

const std::vector<lessons::Demo>& built_in_demos() {
  static const std::vector<lessons::Demo> demos =
      known_good(lessons::read_demos(assets::demos(), built_in_gpus()));
  return demos;
}

const lessons::RowCatalogue& built_in_rows() {
  static const lessons::RowCatalogue rows = known_good(lessons::read_rows(assets::lesson_rows()));
  return rows;
}

const cluster::LinkCatalogue& built_in_links() {
  static const cluster::LinkCatalogue links =
      known_good(cluster::LinkCatalogue::parse(assets::links()));
  return links;
}

const sweep::SweepPresets& built_in_sweeps() {
  static const sweep::SweepPresets presets =
      known_good(sweep::SweepPresets::parse(assets::sweeps()));
  return presets;
}

}  // namespace ts::app
