#include "app/saved/session_keeper.h"

#include <algorithm>
#include <array>
#include <string>
#include <string_view>
#include <utility>

#include "app/session/file_list.h"
#include "app/session/is_ready.h"
#include "core/base/clock.h"
#include "core/spec/spec_fields.h"
#include "core/spec/spec_values.h"
#include "core/text/message.h"
#include "core/text/numbers.h"

namespace ts::app {
namespace {

constexpr std::array<std::string_view, 2> kAxes = {"event", "time"};
constexpr std::array<std::string_view, 3> kColors = {"category", "stack", "allocation"};

template <class Value, std::size_t count>
std::string name_of(const std::array<std::string_view, count>& names, Value value) {
  return std::string(names[static_cast<std::size_t>(value)]);
}

// The value stays where there is no such name.
template <class Value, std::size_t count>
void take_name(const std::array<std::string_view, count>& names, const std::string& name,
               Value& value) {
  const auto found = std::ranges::find(names, name);
  if (found != names.end()) value = static_cast<Value>(found - names.begin());
}

// The part of a range that is near what there is to see: as far as the charts can be panned.
base::TimeRange near(const base::TimeRange& range, const base::TimeRange& whole) {
  if (range.empty() || whole.empty()) return {};
  return {std::clamp(range.begin, whole.begin, whole.end),
          std::clamp(range.end, whole.begin, whole.end)};
}

bool inside(std::int64_t time, const base::TimeRange& range) {
  return time >= range.begin && time <= range.end;
}

files::SavedHunt::Axis axis_of(const predict::HuntAxis& axis) {
  return {spec::field_name(axis.field), axis.low, axis.high};
}

// Stays where the field is not known.
void take_axis(const files::SavedHunt::Axis& saved, predict::HuntAxis& axis) {
  if (const auto field = spec::field_from_name(saved.field)) axis = {*field, saved.low, saved.high};
}

}  // namespace

files::SavedView SessionKeeper::saved_view(run::RunId id) const {
  const WorkspaceState& state = services_.state;
  files::SavedView saved;
  const auto kept = state.kept_views.find(id);
  const bool shown = id == state.viewed;
  // A run that was never on screen is shown as the next one would be.
  const views::ViewState& view =
      shown || kept == state.kept_views.end() ? state.view : kept->second.view;
  if (shown || kept != state.kept_views.end()) {
    saved.visible = view.visible;
    saved.marked = view.marked;
    saved.cursor_ns = view.cursor_ns;
    saved.selected_block = view.selected_block;
  }
  saved.axis = name_of(kAxes, view.memory_axis);
  saved.colors = name_of(kColors, view.block_colors);
  saved.detail = view.detail;
  saved.search = view.search;
  if (const auto notes = state.notes.find(id); notes != state.notes.end())
    saved.notes.assign(notes->second.all().begin(), notes->second.all().end());
  return saved;
}

files::SavedFile SessionKeeper::saved_file(const OpenedFiles::Entry& entry) const {
  files::SavedFile file{.path = entry.path, .shown_device = entry.device_of_all()};
  const auto& devices = entry.all()->devices;
  for (std::size_t i = 0; i < devices.size(); ++i) {
    files::SavedDevice saved{.index = i, .view = saved_view(devices[i].run.id)};
    if (const auto found = entry.corrections.find(i); found != entry.corrections.end())
      saved.corrections.assign(found->second.held().begin(), found->second.held().end());
    file.devices.push_back(std::move(saved));
  }
  file.range = entry.range;
  if (entry.whole != nullptr) {
    file.part = entry.opened->devices[0].part;
    file.part_view = saved_view(entry.opened->devices[0].run.id);
  }
  if (entry.opened->trace != nullptr)
    file.devices.push_back(
        {.index = devices.size(), .view = saved_view(entry.opened->trace->run.id)});
  return file;
}

SessionToSave SessionKeeper::gather() const {
  const WorkspaceState& state = services_.state;
  const Session& session = services_.session;
  SessionToSave what;
  files::SavedSession& saved = what.session;
  saved.program = "tensorscope " TENSORSCOPE_VERSION;
  saved.unix_ns = base::unix_now_ns();
  saved.page = page_name(state.page);
  saved.layout = pages_->run.layout();
  saved.spec = state.history.spec();
  for (const KeptRuns::Kept& kept : session.kept_runs().all()) {
    if (kept.run.get() == session.run()) saved.shown_run = saved.runs.size();
    saved.runs.push_back({nullptr, saved_view(kept.run->id)});
    what.runs.push_back(kept);
  }
  const OpenedFiles& files = session.files();
  for (std::size_t i = 0; i < files.entries().size(); ++i) {
    const OpenedFiles::Entry& entry = files.entries()[i];
    if (entry.opened == nullptr || entry.live != nullptr) continue;  // no file has it
    if (saved.files.size() == files::kMostSavedFiles) continue;
    if (files.current_index() == i) saved.shown_file = saved.files.size();
    saved.files.push_back(saved_file(entry));
    what.stale_files.push_back(entry.changed_on_disk());
  }
  if (state.sweeps->sweep() != nullptr && !state.sweeps->own_folder().empty())
    saved.sweep = files::SavedSweep{state.sweeps->own_folder(), {}};
  files::SavedHunt hunt{.x = axis_of(state.hunt_edit.x),
                        .y = axis_of(state.hunt_edit.y),
                        .here = state.hunt_edit.here,
                        .compare = {},
                        .runs = state.hunts->confirmed()};
  if (state.hunt_edit.compare) hunt.compare = to_string(*state.hunt_edit.compare);
  saved.hunt = std::move(hunt);
  if (session.comparison() != nullptr && !session.comparing())
    saved.comparison = std::make_shared<const run::Comparison>(*session.comparison());
  if (state.lessons->shown() != nullptr) saved.lesson = state.lessons->shown()->folder();
  return what;
}

void SessionKeeper::save(const std::filesystem::path& folder) {
  if (saving_.valid()) return;
  if (services_.session.busy()) services_.notices.add(text::message("session.without_running"));
  SessionToSave what = gather();
  what.folder = folder;
  saving_ = std::async(std::launch::async, [what = std::move(what)]() mutable {
    return save_session(std::move(what));
  });
}

void SessionKeeper::open(const std::filesystem::path& path) {
  const WorkspaceState& state = services_.state;
  const bool measures =
      services_.session.busy() || !state.sweeps->idle() || state.lessons->running();
  if (measures || opening_.valid()) {
    services_.notices.add(text::message("session_error.busy"));
    return;
  }
  path_ = path;
  opening_ = std::async(std::launch::async, [path, folder = state.save_folder(),
                                             &strings = services_.session.strings()] {
    return open_session(path, folder, strings);
  });
}

void SessionKeeper::update() {
  if (saving_.valid() && is_ready(saving_)) {
    const auto saved = saving_.get();
    if (saved) {
      remember_file(services_.state.preferences.recent_files, *saved);
      services_.notices.saved(*saved);
    } else {
      services_.notices.add(saved.error());
    }
  }
  if (opening_.valid() && is_ready(opening_)) {
    auto opened = opening_.get();
    if (opened) {
      show(std::move(*opened));
    } else {
      services_.notices.add(opened.error());
    }
  }
  for (std::size_t i = 0; i < waiting_.size();) {
    if (take(waiting_[i])) {
      waiting_.erase(waiting_.begin() + static_cast<std::ptrdiff_t>(i));
    } else {
      ++i;
    }
  }
}

// A place in the file that the recording does not have is left out.
void SessionKeeper::restore_view(const run::Run& run, const files::SavedView& saved) {
  WorkspaceState& state = services_.state;
  const base::TimeRange whole = run.range();
  views::ViewState view;
  view.link_axes = state.view.link_axes;
  view.live_axis = state.view.live_axis;
  view.visible = near(saved.visible, whole);
  if (saved.marked) {
    const base::TimeRange marked = near(*saved.marked, whole);
    if (!marked.empty()) view.marked = marked;
  }
  if (saved.cursor_ns && inside(*saved.cursor_ns, whole)) view.cursor_ns = saved.cursor_ns;
  const std::size_t blocks = run.memory.blocks().size();
  if (saved.selected_block && *saved.selected_block < blocks)
    view.selected_block = saved.selected_block;
  take_name(kAxes, saved.axis, view.memory_axis);
  take_name(kColors, saved.colors, view.block_colors);
  view.detail = std::max(saved.detail, 1U);
  view.search = saved.search;
  state.keep_view(run.id, {std::move(view), true});
  std::vector<files::Note> notes = saved.notes;
  std::erase_if(notes, [&](const files::Note& note) {
    return !inside(note.time_ns, whole) || (note.block && *note.block >= blocks);
  });
  if (!notes.empty()) state.notes[run.id].set(std::move(notes));
  // Its view is made anew in the next frame.
  if (state.viewed == run.id) state.viewed = 0;
}

void SessionKeeper::show_runs(OpenedSession& opened) {
  Session& session = services_.session;
  for (std::size_t i = 0; i < opened.runs.size(); ++i) {
    const files::SavedRun& saved = opened.session.runs[i];
    restore_view(*opened.runs[i], saved.view);
    session.kept_runs().add({.run = opened.runs[i], .writer = nullptr, .file = saved.recording});
  }
  if (!opened.session.shown_run) return;
  const auto& shown = opened.runs[*opened.session.shown_run];
  session.show(shown);
  services_.state.own_run = shown->id;
}

void SessionKeeper::show_files(const OpenedSession& opened) {
  OpenedFiles& files = services_.session.files();
  using State = OpenedSession::FileState;
  std::string left_out;
  bool gone = false;
  for (std::size_t i = 0; i < opened.files.size(); ++i) {
    const files::SavedFile& file = opened.session.files[i];
    if (opened.files[i] != State::same) {
      left_out += (left_out.empty() ? "" : ", ") + file.path.filename().string();
      gone = gone || opened.files[i] == State::missing;
    }
    if (opened.files[i] == State::missing) continue;
    if (file.range.is_all()) {
      files.open(file.path);
    } else {
      files.open(file.path, file.range);
    }
    waiting_.push_back({file, opened.files[i] == State::changed});
  }
  std::optional<std::size_t> shown;
  if (opened.session.shown_file) {
    const auto& path = opened.session.files[*opened.session.shown_file].path;
    const auto found = std::ranges::find(files.entries(), path, &OpenedFiles::Entry::path);
    if (found != files.entries().end())
      shown = static_cast<std::size_t>(found - files.entries().begin());
  }
  files.choose(shown);
  if (left_out.empty()) return;
  services_.notices.add(
      text::message(gone ? "session.files_gone" : "session.files_changed", {{"names", left_out}}));
}

// Sweep, hunt and lesson.
void SessionKeeper::show_jobs(const OpenedSession& opened) {
  WorkspaceState& state = services_.state;
  if (!opened.sweep_folder.empty()) {
    pages_->sweep.open(opened.sweep_folder);
  } else if (!opened.sweep_problem.empty()) {
    services_.notices.add(opened.sweep_problem);
  }
  if (opened.session.hunt) {
    const files::SavedHunt& hunt = *opened.session.hunt;
    take_axis(hunt.x, state.hunt_edit.x);
    take_axis(hunt.y, state.hunt_edit.y);
    state.hunt_edit.here = hunt.here;
    state.hunt_edit.compare.reset();
    const auto backends = spec::field_choices(spec::Field::backend);
    const auto found = std::ranges::find(backends, hunt.compare,
                                         [](const char* name) { return std::string_view(name); });
    if (found != backends.end())
      state.hunt_edit.compare = static_cast<spec::AttentionBackend>(found - backends.begin());
    state.hunts->restore(hunt.runs);
  }
  if (opened.session.comparison != nullptr)
    services_.session.show_comparison(opened.session.comparison);
  if (!opened.session.lesson.empty()) {
    services_.notices.add_error(
        state.lessons->open_folder(services_.session, opened.session.lesson));
  }
}

void SessionKeeper::show(OpenedSession opened) {
  WorkspaceState& state = services_.state;
  services_.notices.add(
      text::message("session.opened", {{"name", path_.filename().string()},
                                       {"runs", text::grouped(opened.runs.size())},
                                       {"files", text::grouped(opened.files.size())}}));
  show_jobs(opened);
  services_.runs.open_settings(opened.session.spec);
  show_runs(opened);
  show_files(opened);
  pages_->run.restore(opened.session.layout);
  if (const auto page = page_from_name(opened.session.page); page && !is_panel(page->page))
    state.page = page->page;
}

// Takes a file's content. Its logs are not drawn yet.
void SessionKeeper::take_file(std::size_t index, const files::SavedFile& file) {
  OpenedFiles& files = services_.session.files();
  const files::OpenedFile& opened = *files.entries()[index].opened;
  OpenedFiles::CorrectionsByDevice corrections;
  for (const files::SavedDevice& saved : file.devices) {
    corrections[saved.index] = saved.corrections;
    if (saved.index < opened.devices.size()) {
      restore_view(opened.devices[saved.index].run, saved.view);
    } else if (saved.index == opened.devices.size() && opened.trace != nullptr) {
      restore_view(opened.trace->run, saved.view);
    }
  }
  files.restore(index, file.shown_device, std::move(corrections));
}

// True when nothing more is to come of it: a file is read, then a part of it may be made.
bool SessionKeeper::take(Waiting& waiting) {
  OpenedFiles& files = services_.session.files();
  const auto& entries = files.entries();
  const auto found = std::ranges::find(entries, waiting.file.path, &OpenedFiles::Entry::path);
  if (found == entries.end()) return true;  // it was closed
  if (found->loading() || found->asks) return false;
  if (found->opened == nullptr || waiting.changed) return true;
  const files::MemoryPart& part = waiting.file.part;
  if (waiting.narrows) {
    if (found->wanted != part) return true;
    if (found->whole == nullptr) return false;
    restore_view(found->opened->devices[0].run, waiting.file.part_view);
    return true;
  }
  const auto index = static_cast<std::size_t>(found - entries.begin());
  take_file(index, waiting.file);
  const auto& devices = found->opened->devices;
  waiting.narrows = !part.is_all() && found->device < devices.size() &&
                    files::has_part(devices[found->device].parts, part);
  if (waiting.narrows) files.narrow(index, part);
  return !waiting.narrows;
}

}  // namespace ts::app
