#pragma once

#include <cstddef>
#include <filesystem>
#include <future>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/base/message.h"
#include "core/files/opened_file.h"
#include "core/files/replay_answer.h"

namespace ts::app {

// The files that are open beside the run. Each is read on a thread of its own, so that a large one
// never stops the window; a bad one stays in the list with its sentence. One owner thread.
class OpenedFiles {
 public:
  struct Entry {
    int id = 0;  // stays the same while it is open
    std::filesystem::path path;
    std::shared_ptr<const files::OpenedFile> opened;  // unset: being read, or nothing can be shown
    base::Message problem;                            // why nothing can be shown
    std::size_t device = 0;                           // of opened->devices
    [[nodiscard]] bool loading() const { return opened == nullptr && problem.empty(); }
  };

  // Begins to read the file and chooses it. A file that is open already is read again.
  void open(const std::filesystem::path& path);
  // A file that was read before.
  void add(std::unique_ptr<files::OpenedFile> opened);
  void close(std::size_t index);
  // Which file is shown; unset: the run.
  void choose(std::optional<std::size_t> index) { current_ = index; }
  void choose_device(std::size_t device);

  // Takes over what has been read since the last time. True when there was anything.
  bool update();

  [[nodiscard]] const std::vector<Entry>& entries() const { return entries_; }
  [[nodiscard]] std::optional<std::size_t> current_index() const { return current_; }
  [[nodiscard]] const Entry* current() const { return current_ ? &entries_[*current_] : nullptr; }
  // What the replay of the shown device says; null while it goes on. Begun by update().
  [[nodiscard]] const files::ReplayAnswer* replayed() const;
  // Files are being read or replayed.
  [[nodiscard]] bool loading() const;
  // Waits for the replay of what is shown, for pictures.
  void finish_replay();

 private:
  struct Answer {
    std::unique_ptr<files::OpenedFile> opened;
    base::Message problem;
  };
  struct Reader {
    std::filesystem::path path;
    std::future<Answer> answer;
  };
  // Of one device of a file that is, or was, shown.
  struct Replay {
    std::shared_ptr<const files::OpenedFile> opened;
    std::size_t device = 0;
    std::future<files::ReplayAnswer> running;  // valid until answer is set
    std::optional<files::ReplayAnswer> answer;
  };
  [[nodiscard]] const Replay* replay_of_shown() const;
  bool update_replays();
  Entry& entry_for(const std::filesystem::path& path);

  std::vector<Entry> entries_;
  std::optional<std::size_t> current_;
  std::vector<Reader> readers_;
  std::vector<Replay> replays_;
  int last_id_ = 0;
};

}  // namespace ts::app
