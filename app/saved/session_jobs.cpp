#include "app/saved/session_jobs.h"

#include <cstddef>
#include <system_error>
#include <utility>

#include "app/output/sweep_files.h"
#include "app/output/time_stamp.h"
#include "core/io/file.h"
#include "core/text/message.h"

namespace ts::app {
namespace {

base::Result<OpenedSession> not_opened(const std::filesystem::path& path, base::Error reason) {
  return text::fail("session_error.not_opened",
                    {{"path", path.string()}, text::argument("reason", std::move(reason))});
}

OpenedSession::FileState state_of(const files::SavedFile& file) {
  std::error_code ignored;
  if (!std::filesystem::exists(file.path, ignored)) return OpenedSession::FileState::missing;
  const auto mark = io::file_mark(file.path);
  return mark && *mark == file.mark ? OpenedSession::FileState::same
                                    : OpenedSession::FileState::changed;
}

// The folder where the journal was, if it is still there and has all that the session has; else a
// new one.
base::Result<std::filesystem::path> place_sweep(const files::SavedSweep& sweep,
                                                const std::filesystem::path& folder) {
  TS_TRY_DONE(sweep::parse_journal(sweep.journal, kJournalName));
  const auto there = io::read_file(sweep.folder / kJournalName);
  if (there && there->starts_with(sweep.journal)) return sweep.folder;
  if (folder.empty()) return text::fail("file_error.no_home");
  std::filesystem::path place = new_path(folder, "sweep");
  TS_TRY_DONE(io::make_folder(place));
  for (const files::SavedPoint& point : sweep.points) {
    TS_TRY_DONE(io::make_folder(place / kPointsFolder));
    TS_TRY_DONE(io::write_file(place / kPointsFolder / point.name, *point.content));
  }
  TS_TRY_DONE(io::write_file(place / kJournalName, sweep.journal));
  return place;
}

// The kept recordings of the sweep's points, as far as a session has room: a point without is shown
// without its timeline.
std::vector<files::SavedPoint> points_of(const std::filesystem::path& folder, std::size_t room) {
  std::vector<files::SavedPoint> points;
  std::error_code error;
  std::filesystem::directory_iterator at(folder, error);
  for (; !error && at != std::filesystem::directory_iterator(); at.increment(error)) {
    std::error_code none;
    const std::string name = at->path().filename().string();
    const std::uintmax_t bytes = at->is_regular_file(none) ? at->file_size(none) : 0;
    if (none || bytes == 0 || bytes > room || !files::is_point_name(name)) continue;
    if (points.size() == files::kMostSavedPoints) break;
    auto content = io::read_file(at->path());
    if (!content || content->size() > room) continue;
    room -= content->size();
    points.push_back({name, std::make_shared<const std::string>(std::move(*content))});
  }
  return points;
}

// The bytes that the other parts of the session leave.
std::size_t room_for_points(const files::SavedSession& session) {
  // The comparison and the journal are far below this.
  constexpr std::size_t kOthers = std::size_t{64} << 20U;
  std::size_t taken = kOthers;
  for (const files::SavedRun& run : session.runs) taken += run.recording->size();
  return taken < files::kMostSessionBytes ? files::kMostSessionBytes - taken : 0;
}

}  // namespace

base::Result<std::filesystem::path> save_session(SessionToSave what) {
  files::SavedSession& session = what.session;
  for (std::size_t i = 0; i < session.runs.size(); ++i)
    session.runs[i].recording = what.runs[i].recording();
  for (std::size_t i = 0; i < session.files.size(); ++i) {
    // Without a mark it is a changed file when the session is opened.
    if (what.stale_files[i]) continue;
    session.files[i].mark = io::file_mark(session.files[i].path).value_or(io::FileMark());
  }
  if (session.sweep) {
    TS_TRY(session.sweep->journal, io::read_file(session.sweep->folder / kJournalName));
    session.sweep->points =
        points_of(session.sweep->folder / kPointsFolder, room_for_points(session));
  }
  TS_TRY(const auto bytes, files::session_bytes(session));
  auto path = new_path(what.folder, "session", files::kSessionEnding);
  TS_TRY_DONE(io::write_file(path, bytes));
  return path;
}

base::Result<OpenedSession> open_session(const std::filesystem::path& path,
                                         const std::filesystem::path& folder,
                                         base::StringTable& strings) {
  OpenedSession opened;
  TS_TRY(opened.session, files::read_session(path));
  for (const files::SavedRun& saved : opened.session.runs) {
    auto run = run::read_recording(*saved.recording, KeptRuns::next_id(), strings);
    if (!run) return not_opened(path, std::move(run.error()));
    opened.runs.push_back(std::move(*run));
  }
  for (const files::SavedFile& file : opened.session.files) opened.files.push_back(state_of(file));
  if (opened.session.sweep) {
    auto place = place_sweep(*opened.session.sweep, folder);
    if (place) {
      opened.sweep_folder = std::move(*place);
    } else {
      opened.sweep_problem = place.error();
    }
  }
  return opened;
}

}  // namespace ts::app
