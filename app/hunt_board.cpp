#include "app/hunt_board.h"

#include <nlohmann/json.hpp>

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
  go_on_confirming(session);
  auto found = session.predictions().hunted();
  if (found == nullptr || found->id <= shown_after_ || found == progress_) return;
  progress_ = std::move(found);
  make_map();
}

void HuntBoard::make_map() {
  map_ = progress_->map;
  for (const Confirmation& one : runs_) {
    // A CPU, with neither context nor segments, proves nothing about a card, nor a card about it.
    if (one.device != progress_->target.kind) continue;
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
  run::HuntRequest request;
  request.spec = spec;
  request.x = draft.x;
  request.y = draft.y;
  request.other = views::compared_spec(draft, spec);
  if (!session.predictions().hunt(std::move(request), draft.here)) {
    progress_.reset();
    map_.reset();
    shown_after_ = before != nullptr ? before->id : 0;
    return;
  }
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
  remember({run->spec, {!oom, run->memory.peak_bytes()}, run->spec.device});
}

void HuntBoard::remember(Confirmation confirmation) {
  if (runs_.size() == kMostRuns) runs_.erase(runs_.begin());
  runs_.push_back(std::move(confirmation));
  if (map_) make_map();
}

const char* HuntBoard::confirm_problem(const Session& session,
                                       const run::WorkloadSpec& spec) const {
  if (session.engine() == nullptr) return "hunt.confirm.no_engine";
  if (progress_ == nullptr || !progress_->frontier_after) return "hunt.confirm.no_frontier";
  if (progress_->target.kind != spec.device) return "hunt.confirm.other_device";
  if (cells_to_confirm().empty()) return "hunt.confirm.nothing_left";
  return nullptr;
}

std::vector<std::size_t> HuntBoard::cells_to_confirm() const {
  std::vector<std::size_t> cells = run::frontier_cells(*map_);
  std::erase_if(cells, [this](std::size_t index) { return map_->cell(index).run.has_value(); });
  return cells;
}

void HuntBoard::confirm() {
  if (map_) round_ = Round{progress_->id, cells_to_confirm(), 0, 0};
}

void HuntBoard::stop_confirming(Session& session) {
  if (round_ && round_->id != 0 && session.asked() == round_->id) session.cancel();
  round_.reset();
}

std::optional<HuntBoard::Confirming> HuntBoard::confirming() const {
  if (!round_) return std::nullopt;
  return Confirming{round_->next, round_->cells.size()};
}

void HuntBoard::go_on_confirming(Session& session) {
  if (!round_) return;
  if (progress_ == nullptr || progress_->id != round_->hunt) return stop_confirming(session);
  // A run that somebody else asked for goes first; the cell it replaced waits.
  if (round_->id != 0 && session.asked() != round_->id) round_->id = 0;
  if (session.busy()) return;
  if (round_->id != 0) {
    const run::Run* const run = session.current();
    const bool ours = run != nullptr && run->id == round_->id;
    round_->id = 0;
    if (!ours || run->verdict == run::Verdict::cancelled) return round_.reset();
    // What failed for another reason says nothing about memory.
    const std::size_t cell = round_->cells[round_->next++];
    const bool oom = run->verdict == run::Verdict::oom;
    if (oom || run->verdict == run::Verdict::ok) {
      remember({map_->spec_of(cell), {!oom, run->memory.peak_bytes()}, run->spec.device});
    }
  }
  if (round_->next == round_->cells.size()) return round_.reset();
  run::WorkloadSpec spec = map_->spec_of(round_->cells[round_->next]);
  spec.memory_limit = progress_->target.capacity();
  // Two recorded steps are what the prediction is about; time is not asked for.
  run::Protocol protocol;
  protocol.recorded_steps = 2;
  protocol.min_warmup_s = protocol.max_warmup_s = 0;
  protocol.min_samples = protocol.max_samples = 1;
  protocol.budget_s = 0;
  protocol.probe_every = 0;
  if (!session.start(spec, protocol)) {
    ++round_->next;
    return;
  }
  round_->id = session.asked();
}

std::string HuntBoard::other_name() const {
  return progress_ != nullptr && progress_->other ? run::to_string(progress_->other->base().backend)
                                                  : "";
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
  there.alloc_conf = map_->base().alloc_conf;  // runs here have an allocator of their own
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

std::string hunt_caption(const run::HuntMap& map, const run::PredictionTarget& target) {
  return std::string(run::to_string(map.base().workload)) + ", " + run::field_name(map.y().field) +
         " x " + run::field_name(map.x().field) + " on " + target.name + " (" +
         text::bytes(target.memory).joined() + "), predicted by dry runs.";
}

base::Result<void> write_hunt_files(const std::filesystem::path& folder, const run::HuntMap& map,
                                    const run::PredictionTarget& target) {
  if (auto made = io::make_folder(folder); !made) return made;
  nlohmann::json json = run::to_json(map);
  json["spec"] = run::to_json(map.base());
  json["target"] = {
      {"name", target.name}, {"memory", target.memory}, {"capacity", target.capacity()}};
  const std::string caption = hunt_caption(map, target);
  struct File {
    const char* name;
    std::string content;
  };
  for (const File& file :
       {File{"hunt.json", json.dump(2) + "\n"}, File{"hunt.csv", io::to_csv(run::hunt_cells(map))},
        File{"hunt.md", run::hunt_markdown(map, caption)},
        File{"hunt.tex", io::to_latex(run::hunt_grid(map),
                                      caption + " GiB needed; * tight, "
                                                "x out of memory.",
                                      "tab:hunt")}}) {
    if (auto written = io::write_file(folder / file.name, file.content); !written) return written;
  }
  return {};
}

}  // namespace ts::app
