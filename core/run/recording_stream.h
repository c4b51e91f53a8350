#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/result.h"
#include "core/base/string_table.h"
#include "core/run/run.h"

namespace ts::run {

namespace recording_parts {
class Decoder;
class Encoder;
}  // namespace recording_parts

// A recording while it is made: pieces in the frame and the encoding of its file, each whole by
// itself. The first has the header of a run that has not ended, the next what was recorded since,
// the last how it ended.

// Larger pieces are refused, and more bytes in all pieces.
inline constexpr std::size_t kMostPieceBytes = std::size_t{64} << 20;
inline constexpr std::size_t kMostStreamBytes = std::size_t{256} << 20;

// Writes the pieces. Any thread; the pieces must be sent in the order of the calls.
class RecordingStreamWriter {
 public:
  explicit RecordingStreamWriter(const base::StringTable& strings);
  ~RecordingStreamWriter();
  RecordingStreamWriter(const RecordingStreamWriter&) = delete;
  RecordingStreamWriter& operator=(const RecordingStreamWriter&) = delete;

  std::string begin(const Run& run);
  // A step that ended; it is in the next piece.
  void step(const StepTimes& times);
  // The records of the batch, and the most bytes that were live so far.
  std::string piece(const capture::Batch& batch, std::int64_t peak);
  // The receiver is too slow for this batch: its records count as lost.
  void skip(const capture::Batch& batch);
  // `file`: where the script left its recording, empty for nowhere.
  std::string end(const Run& run, const std::string& file);

 private:
  std::string take_piece(const capture::Batch& batch, std::int64_t peak, nlohmann::json end);

  std::mutex mutex_;
  std::unique_ptr<recording_parts::Encoder> encoder_;
  std::vector<StepTimes> steps_;
  std::uint64_t skipped_ = 0;
};

// Reads them, in whatever pieces the bytes come. One owner thread.
class RecordingStreamReader {
 public:
  RecordingStreamReader(RunId id, base::StringTable& strings);
  ~RecordingStreamReader();
  RecordingStreamReader(const RecordingStreamReader&) = delete;
  RecordingStreamReader& operator=(const RecordingStreamReader&) = delete;

  // Appends the updates of all pieces that are whole. An error is one sentence, and nothing may be
  // fed after it; the updates that came before stay.
  base::Result<void> feed(std::string_view bytes, std::vector<Update>& out);

  [[nodiscard]] bool begun() const { return begun_; }
  [[nodiscard]] bool ended() const { return ended_; }
  // A piece has begun and is not whole.
  [[nodiscard]] bool inside_piece() const { return !waiting_.empty(); }
  // As the first piece says, and the last.
  [[nodiscard]] const std::string& script() const { return script_; }
  [[nodiscard]] const std::string& file() const { return file_; }

 private:
  base::Result<void> read_piece(std::string_view piece, std::vector<Update>& out);
  base::Result<void> take(const nlohmann::json& header, std::string_view records,
                          std::vector<Update>& out);

  const RunId id_;
  std::unique_ptr<recording_parts::Decoder> decoder_;
  std::string waiting_;
  std::size_t fed_ = 0;
  bool begun_ = false;
  bool ended_ = false;
  std::string script_;
  std::string file_;
};

}  // namespace ts::run
