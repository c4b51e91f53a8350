#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/result.h"
#include "core/base/string_table.h"
#include "core/run/run.h"

namespace ts::run {

// A run as a file: the updates of the worker and the collector, so that reading the file applies
// the same to a new Run. A line with format and version, sizes and a checksum, a JSON header
// (specification, protocol, steps, facts, verdict, tracks, strings), then the slices and memory
// records, each number as a variable-length difference to the one before. About 15 bytes a record.

// The limit of a recording in bytes, in memory while it grows and as a file.
inline constexpr std::size_t kMostRecordingBytes = std::size_t{32} << 20;

namespace recording_parts {
class Encoder;
}

// Beside the records, while the run goes on.
struct RecordingProgress {
  std::vector<StepTimes> steps;  // that ended since the last piece
  std::uint64_t dropped = 0;
  std::int64_t clock_drift_ns = 0;
  std::int64_t peak = 0;  // the most bytes that were live so far
};

// Collects a run during its execution. One owner thread.
class RecordingWriter {
 public:
  // The rule beyond kMostRecordingBytes: keep nothing, or keep all up to there, and what comes
  // later is counted as lost.
  enum class WhenFull : std::uint8_t { discard, keep };
  RecordingWriter(RunId id, const base::StringTable& strings,
                  WhenFull when_full = WhenFull::discard);
  ~RecordingWriter();
  RecordingWriter(const RecordingWriter&) = delete;
  RecordingWriter& operator=(const RecordingWriter&) = delete;

  [[nodiscard]] RunId id() const { return id_; }
  void add(const capture::Batch& batch);
  // The recording grew beyond kMostRecordingBytes.
  [[nodiscard]] bool too_large() const { return too_large_; }
  // Records that came after the recording was full.
  [[nodiscard]] std::uint64_t lost() const { return lost_; }
  // The whole file of a finished run, which must be the run of the batches.
  [[nodiscard]] std::string file(const Run& run) const;

  // The records since the last call, as a piece of a stream (recording_stream.h) that goes on
  // from the pieces before.
  struct Piece {
    std::string begin;
    std::string_view records;  // what follows; until the next add()
  };
  [[nodiscard]] Piece next_piece(RecordingProgress progress);

 private:
  RunId id_;
  WhenFull when_full_;
  std::uint64_t lost_ = 0;
  std::unique_ptr<recording_parts::Encoder> encoder_;
  bool too_large_ = false;
};

// Reads the run of a file and gives it that id. The error is one sentence; a file that is cut off
// or damaged is rejected as a whole. Of a journal (recording_journal.h) the whole pieces are read:
// a run that failed because its process did not end it. Any thread.
base::Result<std::shared_ptr<Run>> read_recording(std::string_view file, RunId id,
                                                  base::StringTable& strings);

// Why a run failed whose process did not end its recording.
base::Message cut_off();
bool is_cut_off(const Run& run);

}  // namespace ts::run
