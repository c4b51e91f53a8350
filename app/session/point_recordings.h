#pragma once

#include <filesystem>
#include <future>
#include <memory>
#include <optional>
#include <string>

#include "core/base/message.h"
#include "core/run/recording.h"

namespace ts::app {

// The recordings of a sweep's points, one file each beside the journal. They let a point be opened
// after the program was closed. They are optional: a failed write loses no measurement, and the
// journal keeps room on the disk.

// The limit for all recordings of a sweep, and the space they leave for the journal. Bytes.
inline constexpr std::uintmax_t kMostRecordings = std::uintmax_t{1} << 30;
inline constexpr std::uintmax_t kLeftFree = std::uintmax_t{64} << 20;

// True if a file of that size leaves enough space, also when the free space is unknown.
bool leaves_room(const std::filesystem::path& folder, std::uintmax_t bytes);

inline constexpr const char* kRecordingEnding = ".recording";
std::filesystem::path recording_path(const std::filesystem::path& folder, const std::string& name);

// Writes one file at a time on a thread of its own. Owner thread.
class RecordingSaver {
 public:
  ~RecordingSaver();  // waits
  // A failure is reported by problem(): too large, too many, no room. `writer` and `run` are of one
  // run that ended.
  void save(const std::filesystem::path& folder, const std::string& name,
            std::unique_ptr<run::RecordingWriter> writer, std::shared_ptr<const run::Run> run);
  [[nodiscard]] bool busy() const { return saving_.valid(); }
  // Takes over finished writes. False while a file is being written.
  bool ready();
  // The problem of the last one; empty: it is on disk.
  [[nodiscard]] const base::Message& problem() const { return problem_; }

 private:
  std::future<base::Message> saving_;
  base::Message problem_;
};

// Reads one file at a time on a thread of its own. Owner thread.
class RecordingOpener {
 public:
  ~RecordingOpener();  // waits
  // Drops a file that is still being read.
  void open(const std::filesystem::path& path, base::StringTable& strings);
  [[nodiscard]] bool busy() const { return opening_.valid(); }
  void forget() { opening_ = {}; }  // waits until the file is read
  // The run, or the reason why there is none; empty while it is being read.
  std::optional<base::Result<std::shared_ptr<run::Run>>> take();

 private:
  std::future<base::Result<std::shared_ptr<run::Run>>> opening_;
  run::RunId last_id_ = run::RunId{1} << 48;  // never an id of the worker
};

}  // namespace ts::app
