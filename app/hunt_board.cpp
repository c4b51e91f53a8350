#include "app/hunt_board.h"

#include <nlohmann/json.hpp>
#include <system_error>

#include "app/time_stamp.h"
#include "core/io/file.h"
#include "core/run/hunt_table.h"
#include "core/run/spec_values.h"
#include "core/text/numbers.h"

namespace ts::app {
namespace {

// Runs that are remembered; older ones lose their rings.
constexpr std::size_t kMostRuns = 256;

}  // namespace

void HuntBoard::update(Session& session) {
  note_run(session);
  auto found = session.predictions().hunted();
  if (found == nullptr || found->id <= shown_after_ || found == progress_) return;
  progress_ = std::move(found);
  make_map();
}

void HuntBoard::make_map() {
  map_ = progress_->map;
  for (const Confirmation& one : runs_) {
    if (const auto cell = cell_of(one.spec)) map_->confirm(*cell, one.run);
  }
}

void HuntBoard::follow(Session& session, const run::WorkloadSpec& spec,
                       const views::HuntDraft& draft) {
  Asked asked{spec, draft};
  for (const run::HuntAxis& axis : {draft.x, draft.y}) {
    static_cast<void>(run::set_number(asked.spec, axis.field, axis.low));
  }
  if (asked_ && asked_->spec == asked.spec && asked_->draft == draft) return;
  const auto before = session.predictions().hunted();
  if (!session.predictions().hunt(spec, draft.x, draft.y)) return;
  asked_ = std::move(asked);
  shown_after_ = before != nullptr ? before->id : 0;
}

// A run with less memory than the card has says nothing about what the card refuses.
void HuntBoard::note_run(const Session& session) {
  const run::Run* run = session.current();
  if (run == nullptr || !run->finished || run->id == last_run_) return;
  last_run_ = run->id;
  const run::Gpu* gpu = session.gpus().find(run->spec.target_gpu);
  const bool oom = run->verdict == run::Verdict::oom;
  if (gpu == nullptr || (run->verdict != run::Verdict::ok && !oom)) return;
  const std::int64_t card = run->spec.memory_limit > 0 ? run->spec.memory_limit : gpu->memory_bytes;
  if (oom && run->limit < card) return;
  if (runs_.size() == kMostRuns) runs_.erase(runs_.begin());
  runs_.push_back({run->spec, {!oom, run->memory.peak_bytes()}});
  if (map_) make_map();
}

run::WorkloadSpec HuntBoard::spec_of(std::size_t cell, const run::WorkloadSpec& spec) const {
  run::WorkloadSpec there = map_->spec_of(cell);
  there.device = spec.device;
  return there;
}

std::optional<std::size_t> HuntBoard::cell_of(const run::WorkloadSpec& spec) const {
  if (!map_) return std::nullopt;
  run::WorkloadSpec there = spec;
  there.device = map_->base().device;
  return map_->index_of(there);
}

base::Result<std::filesystem::path> HuntBoard::save() const {
  if (!map_ || folder_.empty()) return base::fail("There is nothing to save yet");
  std::filesystem::path folder = folder_ / ("hunt-" + time_stamp());
  if (auto written = write_hunt_files(folder, *map_, progress_->target); !written) {
    return tl::unexpected(written.error());
  }
  return folder;
}

base::Result<void> write_hunt_files(const std::filesystem::path& folder, const run::HuntMap& map,
                                    const run::PredictionTarget& target) {
  std::error_code error;
  std::filesystem::create_directories(folder, error);
  nlohmann::json json = run::to_json(map);
  json["spec"] = run::to_json(map.base());
  json["target"] = {
      {"name", target.name}, {"memory", target.memory}, {"capacity", target.capacity()}};
  const std::string caption = std::string(run::to_string(map.base().workload)) + ", " +
                              run::field_name(map.y().field) + " x " +
                              run::field_name(map.x().field) + " on " + target.name + " (" +
                              text::bytes(target.memory).joined() + "), predicted by dry runs.";
  struct File {
    const char* name;
    std::string content;
  };
  for (const File& file :
       {File{"hunt.json", json.dump(2) + "\n"}, File{"hunt.csv", io::to_csv(run::hunt_cells(map))},
        File{"hunt.md", run::hunt_markdown(map, caption)}}) {
    if (auto written = io::write_file(folder / file.name, file.content); !written) return written;
  }
  return {};
}

}  // namespace ts::app
