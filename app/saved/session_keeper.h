#pragma once

#include <filesystem>
#include <future>
#include <vector>

#include "app/pages/pages.h"
#include "app/saved/session_jobs.h"

namespace ts::app {

// Saves what was done in the window as one file, and shows such a file again: finished runs, the
// newest A/B, the sweep, the hunt, opened files, pages, marks, notes, corrected categories. Files
// are written and read on a thread of their own. Main thread.
class SessionKeeper {
 public:
  SessionKeeper(const PageServices& services, Pages& pages) : services_(services), pages_(&pages) {}

  // Begins to write a file into that folder, while none is being written.
  void save(const std::filesystem::path& folder);
  // Begins to read one. What is open stays; while something is measured it is refused.
  void open(const std::filesystem::path& path);
  // Takes over what was written or read. Every frame, before anything is drawn.
  void update();
  [[nodiscard]] bool busy() const { return saving_.valid() || opening_.valid(); }

 private:
  // A file of the session that is being read.
  struct Waiting {
    files::SavedFile file;
    bool changed = false;
    bool narrows = false;  // it was read, and its part is being made
  };
  [[nodiscard]] SessionToSave gather() const;
  [[nodiscard]] files::SavedView saved_view(run::RunId id) const;
  [[nodiscard]] files::SavedFile saved_file(const OpenedFiles::Entry& entry) const;
  void show(OpenedSession opened);
  void show_runs(OpenedSession& opened);
  void show_files(const OpenedSession& opened);
  void show_jobs(const OpenedSession& opened);
  void restore_view(const run::Run& run, const files::SavedView& saved);
  void take_file(std::size_t index, const files::SavedFile& file);
  bool take(Waiting& waiting);

  PageServices services_;
  Pages* pages_;
  std::future<base::Result<std::filesystem::path>> saving_;
  std::future<base::Result<OpenedSession>> opening_;
  std::filesystem::path path_;  // of the session that is being opened
  std::vector<Waiting> waiting_;
};

}  // namespace ts::app
