#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <vector>

#include "app/session/kept_runs.h"
#include "core/base/message.h"
#include "core/base/result.h"
#include "core/base/string_table.h"
#include "core/files/saved_session.h"

namespace ts::app {

// The slow parts of saving and opening a session, for a thread of their own.

struct SessionToSave {
  files::SavedSession session;  // without recordings, marks of files and journal
  std::vector<KeptRuns::Kept> runs;
  // By file: it has changed since it was read; what is known of its blocks is not of this one.
  std::vector<bool> stale_files;
  std::filesystem::path folder;  // where the file goes
};
// The file that was written.
base::Result<std::filesystem::path> save_session(SessionToSave what);

struct OpenedSession {
  files::SavedSession session;
  std::vector<std::shared_ptr<run::Run>> runs;  // as in the session
  enum class FileState : std::uint8_t { same, changed, missing };
  std::vector<FileState> files;        // as in the session
  std::filesystem::path sweep_folder;  // with its journal; empty: there is none
  base::Message sweep_problem;         // why not, where the session has one
};
// `folder`: where a sweep goes that is no longer at its place. A file that is damaged in any part
// is refused as a whole.
base::Result<OpenedSession> open_session(const std::filesystem::path& path,
                                         const std::filesystem::path& folder,
                                         base::StringTable& strings);

}  // namespace ts::app
