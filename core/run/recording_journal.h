#pragma once

#include <cstdint>
#include <filesystem>
#include <mutex>
#include <string_view>
#include <vector>

#include "core/io/input_file.h"
#include "core/run/recording.h"

namespace ts::run {

// The file beside a recording that has what is recorded so far, for a process that is killed: the
// pieces of a stream (recording_stream.h), appended at most every tenth of a second. After an
// error, such as a full disk, nothing more is written; what is there stays, also at the end.
class RecordingJournal {
 public:
  // FILE.part.
  static std::filesystem::path path_of(const std::filesystem::path& recording);

  // Replaces what is there.
  RecordingJournal(std::filesystem::path path, const Run& run);
  RecordingJournal(const RecordingJournal&) = delete;
  RecordingJournal& operator=(const RecordingJournal&) = delete;

  // A step that ended. Any thread.
  void step(const StepTimes& times);
  // Appends what the writer has got since the last time, if that is long enough ago. The thread of
  // the writer.
  void update(RecordingWriter& writer, std::uint64_t dropped, std::int64_t clock_drift_ns,
              std::int64_t peak);
  // The same at once. False if the file could not be made; what it had no room for is left out.
  bool flush(RecordingWriter& writer, std::uint64_t dropped, std::int64_t clock_drift_ns,
             std::int64_t peak);
  [[nodiscard]] const std::filesystem::path& path() const noexcept { return path_; }
  // The recording has been written, or nobody wants it.
  void remove();

 private:
  void append(std::string_view begin, std::string_view rest = {});

  std::filesystem::path path_;
  io::Descriptor file_;  // not open: nothing is written
  bool made_ = false;
  std::int64_t written_ns_ = 0;
  std::mutex mutex_;  // of the steps
  std::vector<StepTimes> steps_;
};

}  // namespace ts::run
