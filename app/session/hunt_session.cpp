#include "app/session/hunt_session.h"

#include <algorithm>

#include "app/output/named_files.h"
#include "app/output/time_stamp.h"
#include "core/base/result_files.h"
#include "core/io/file.h"
#include "core/io/json_parse.h"
#include "core/predict/hunt_table.h"
#include "core/spec/spec_fields.h"
#include "core/spec/spec_values.h"
#include "core/text/message.h"
#include "core/text/numbers.h"

namespace ts::app {
namespace {

// The number of remembered runs; older ones lose their rings.
constexpr std::size_t kMostRuns = 256;

// The current settings are always on the map.
predict::HuntAxis reaching(predict::HuntAxis axis, std::int64_t value) {
  axis.low = std::min(axis.low, value);
  axis.high = std::max(axis.high, value);
  return axis;
}

bool same_map(const predict::HuntProgress& a, const predict::HuntProgress& b) {
  return a.map.base() == b.map.base() && a.map.x_values() == b.map.x_values() &&
         a.map.y_values() == b.map.y_values() && a.target.name == b.target.name &&
         a.target.memory == b.target.memory;
}

}  // namespace

void HuntSession::update(Session& session) {
  note_run(session);
  go_on_confirming(session);
  auto found = session.predictions().hunted();
  if (found == nullptr || found->id <= shown_after_ || found == progress_) return;
  // A confirmation continues if only the row of the exact edge has changed.
  if (round_ && progress_ != nullptr && same_map(*progress_, *found)) round_->hunt = found->id;
  progress_ = std::move(found);
  make_map();
}

void HuntSession::make_map() {
  map_ = progress_->map;
  for (const Confirmation& one : runs_) {
    // A CPU has neither context nor segments: it proves nothing about a card, nor a card about it.
    if (one.device != progress_->target.kind) continue;
    if (const auto cell = cell_of(one.spec)) map_->confirm(*cell, one.run);
  }
}

void HuntSession::follow(Session& session, const spec::WorkloadSpec& spec,
                         const views::HuntEdit& edit) {
  Asked asked{.spec = spec, .edit = edit, .x_values = {}, .y_values = {}, .request = {}};
  for (const predict::HuntAxis& axis : {edit.x, edit.y}) {
    static_cast<void>(spec::set_number(asked.spec, axis.field, axis.low));
  }
  const bool same = asked_ && asked_->spec == asked.spec && asked_->edit == edit;
  const std::int64_t x = spec::number_of(spec, edit.x.field);
  const std::int64_t y = spec::number_of(spec, edit.y.field);
  if (same && std::ranges::binary_search(asked_->x_values, x) &&
      std::ranges::binary_search(asked_->y_values, y)) {
    if (asked_->request.row != y) ask_for_row(session, y);
    return;
  }
  const auto before = session.predictions().hunted();
  predict::HuntRequest request;
  request.spec = spec;
  request.x = reaching(edit.x, x);
  request.y = reaching(edit.y, y);
  request.afresh = !asked_;
  request.row = y;
  asked.x_values = predict::map_values(request.x, request.cells_per_axis, x);
  asked.y_values = predict::map_values(request.y, request.cells_per_axis, y);
  request.other = views::compared_spec(edit, spec);
  asked.request = request;
  if (!session.predictions().hunt(std::move(request), edit.here)) {
    progress_.reset();
    map_.reset();
    shown_after_ = before != nullptr ? before->id : 0;
    return;
  }
  asked_ = std::move(asked);
  shown_after_ = before != nullptr ? before->id : 0;
}

// Requests the exact edge in another row; the map and the rest of the request stay.
void HuntSession::ask_for_row(Session& session, std::int64_t row) {
  asked_->request.row = row;
  asked_->request.afresh = false;
  session.predictions().hunt(asked_->request, asked_->edit.here);
}

// A run with less memory than the card has gives no evidence of what the card refuses.
void HuntSession::note_run(const Session& session) {
  const run::Run* run = session.current();
  if (run == nullptr || !run->finished || run->id == last_run_) return;
  last_run_ = run->id;
  const spec::Gpu* gpu = session.gpus().find(run->spec.target_gpu);
  const bool oom = run->verdict == run::Verdict::oom;
  if (gpu == nullptr || (run->verdict != run::Verdict::ok && !oom)) return;
  const std::int64_t card = run->spec.memory_limit > 0 ? run->spec.memory_limit : gpu->memory_bytes;
  if (oom && run->limit < card) return;
  remember({run->spec, {!oom, run->peak_allocated()}, run->spec.device});
}

void HuntSession::remember(Confirmation confirmation) {
  if (runs_.size() == kMostRuns) runs_.erase(runs_.begin());
  runs_.push_back(std::move(confirmation));
  if (map_) make_map();
}

std::vector<files::SavedHunt::Run> HuntSession::confirmed() const {
  std::vector<files::SavedHunt::Run> runs;
  for (const Confirmation& one : runs_)
    runs.push_back({one.spec, one.run.fits, one.run.peak, to_string(one.device)});
  return runs;
}

void HuntSession::restore(const std::vector<files::SavedHunt::Run>& runs) {
  const auto devices = spec::field_choices(spec::Field::device);
  for (const files::SavedHunt::Run& run : runs) {
    const auto found = std::ranges::find(devices, run.device,
                                         [](const char* name) { return std::string_view(name); });
    if (found == devices.end()) continue;
    remember(
        {run.spec, {run.fits, run.peak}, static_cast<spec::DeviceKind>(found - devices.begin())});
  }
}

const char* HuntSession::confirm_problem(const Session& session,
                                         const spec::WorkloadSpec& spec) const {
  if (session.engine() == nullptr) return "hunt.confirm.no_engine";
  if (progress_ == nullptr || !progress_->frontier_after) return "hunt.confirm.no_frontier";
  if (progress_->target.kind != spec.device) return "hunt.confirm.other_device";
  if (cells_to_confirm().empty()) return "hunt.confirm.nothing_left";
  return nullptr;
}

std::vector<std::size_t> HuntSession::cells_to_confirm() const {
  std::vector<std::size_t> cells = predict::frontier_cells(*map_);
  std::erase_if(cells, [this](std::size_t index) { return map_->cell(index).run.has_value(); });
  return cells;
}

void HuntSession::confirm() {
  if (map_) round_ = Round{progress_->id, cells_to_confirm(), 0, 0};
}

void HuntSession::stop_confirming(Session& session) {
  if (round_ && round_->id != 0 && session.asked() == round_->id) session.cancel();
  round_.reset();
}

std::optional<HuntSession::Confirming> HuntSession::confirming() const {
  if (!round_) return std::nullopt;
  return Confirming{round_->next, round_->cells.size()};
}

void HuntSession::go_on_confirming(Session& session) {
  if (!round_) return;
  if (progress_ == nullptr || progress_->id != round_->hunt) return stop_confirming(session);
  // A run requested elsewhere has priority; the cell it replaced waits.
  if (round_->id != 0 && session.asked() != round_->id) round_->id = 0;
  if (session.busy()) return;
  if (round_->id != 0) {
    const run::Run* const run = session.current();
    const bool ours = run != nullptr && run->id == round_->id;
    round_->id = 0;
    if (!ours || run->verdict == run::Verdict::cancelled) return round_.reset();
    // A failure for another reason gives no evidence about memory.
    const std::size_t cell = round_->cells[round_->next++];
    const bool oom = run->verdict == run::Verdict::oom;
    if (oom || run->verdict == run::Verdict::ok) {
      remember({map_->spec_of(cell), {!oom, run->peak_allocated()}, run->spec.device});
    }
  }
  if (round_->next == round_->cells.size()) return round_.reset();
  spec::WorkloadSpec spec = map_->spec_of(round_->cells[round_->next]);
  spec.memory_limit = progress_->target.capacity();
  // The prediction covers two recorded steps; no times are needed.
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

std::string HuntSession::other_name() const {
  return progress_ != nullptr && progress_->other ? to_string(progress_->other->base().backend)
                                                  : "";
}

spec::WorkloadSpec HuntSession::spec_of(std::size_t cell, const spec::WorkloadSpec& spec) const {
  spec::WorkloadSpec there = map_->spec_of(cell);
  there.device = spec.device;
  return there;
}

std::optional<std::size_t> HuntSession::cell_of(const spec::WorkloadSpec& spec) const {
  if (!map_) return std::nullopt;
  spec::WorkloadSpec there = spec;
  there.device = map_->base().device;
  there.alloc_conf = map_->base().alloc_conf;  // runs here have their own allocator
  return map_->index_of(there);
}

base::Result<std::filesystem::path> HuntSession::save(const SaveParts& parts) const {
  if (!map_ || folder_.empty()) return text::fail("save_error.nothing");
  std::filesystem::path folder = new_path(folder_, "hunt");
  TS_TRY_DONE(write_hunt_files(folder, *map_, progress_->target,
                               subject_of(*map_, progress_->target), parts));
  return folder;
}

std::string hunt_caption(const predict::HuntMap& map, const predict::PredictionTarget& target) {
  return std::string(to_string(map.base().workload)) + ", " + spec::field_name(map.y().field) +
         " x " + spec::field_name(map.x().field) + " on " + target.name + " (" +
         text::bytes(target.memory).joined() + "), predicted by dry runs.";
}

std::string hunt_settings(const predict::HuntMap& map) {
  const spec::WorkloadSpec& base = map.base();
  spec::WorkloadSpec usual;
  usual.workload = base.workload;
  std::string words;
  for (const spec::FieldRow& row : spec::field_rows()) {
    using spec::Field;
    const Field field = row.field;
    if (field == Field::workload || field == Field::target_gpu || field == map.x().field ||
        field == map.y().field || !spec::field_applies(base, field))
      continue;
    const std::string text = spec::field_text(base, field);
    const bool always = field == Field::dtype || field == Field::backend || field == Field::pass;
    if (always || text != spec::field_text(usual, field))
      words += (words.empty() ? "" : " ") + std::string(spec::field_name(field)) + "=" + text;
  }
  return words;
}

HuntSubject subject_of(const predict::HuntMap& map, const predict::PredictionTarget& target) {
  return {hunt_caption(map, target), hunt_settings(map), to_json(map.base())};
}

base::Result<void> write_hunt_files(const std::filesystem::path& folder,
                                    const predict::HuntMap& map,
                                    const predict::PredictionTarget& target,
                                    const HuntSubject& subject, const SaveParts& parts) {
  if (auto made = io::make_folder(folder); !made) return made;
  nlohmann::json json = to_json(map);
  json["spec"] = subject.spec;
  json["target"] = {
      {"name", target.name}, {"memory", target.memory}, {"capacity", target.capacity()}};
  if (auto written = io::write_file(folder / base::kHuntDocument, io::json_text(json));
      !written || !parts.has(SavePart::tables)) {
    return written;
  }
  const std::string titled = subject.caption + " Settings: " + subject.settings;
  return write_files(
      folder, {{base::kHuntCsv, io::to_csv(predict::hunt_cells(map))},
               {base::kHuntMarkdown, predict::hunt_markdown(map, titled)},
               {base::kHuntLatex,
                io::to_latex(predict::hunt_grid(map),
                             titled + ". GiB needed; * tight, x out of memory.", "tab:hunt")}});
}

}  // namespace ts::app
