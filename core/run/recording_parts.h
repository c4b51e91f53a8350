#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/result.h"
#include "core/base/string_table.h"
#include "core/capture/batch.h"
#include "core/run/recording.h"
#include "core/run/run.h"

// The parts that a recording's file and its stream have in common: headers and records. Private to
// recording_*.cpp.
namespace ts::run::recording_parts {

// The values that the next records are written as differences to.
struct Bases {
  std::int64_t slice_ns = 0, record_ns = 0, address = 0;
};

// Turns records into bytes, and their strings into numbers that count from 1. One owner thread.
class Encoder {
 public:
  explicit Encoder(const base::StringTable& strings) : strings_(&strings) {}

  void add(const capture::Batch& batch);
  // Only the tracks of a batch whose records are left out.
  void add_tracks(const capture::Batch& batch);
  [[nodiscard]] const std::string& records() const { return records_; }
  // Tracks, strings and the number of records, as they stand in a header.
  [[nodiscard]] nlohmann::json header() const;
  // The same of what was added after the last mark(), which goes on from what was before.
  [[nodiscard]] nlohmann::json new_header() const;
  [[nodiscard]] std::string_view new_records() const {
    return std::string_view(records_).substr(marked_.bytes);
  }
  void mark();
  // Strings keep their numbers; what is added next stands alone.
  void forget_written();
  // Frees the records, and what is added next counts alone.
  void drop_records() { records_ = {}; }
  // Makes room for so many bytes of records.
  void expect(std::size_t bytes) { records_.reserve(bytes); }

 private:
  std::uint64_t local(base::StringId id) {
    if (id == base::kNoString) return 0;
    return id < locals_.size() && locals_[id] != 0 ? locals_[id] : new_local(id);
  }
  std::uint64_t new_local(base::StringId id);
  // How much has been added.
  struct Place {
    std::size_t tracks = 0, strings = 0, bytes = 0;
    std::uint64_t records = 0;
    Bases bases;
  };
  [[nodiscard]] nlohmann::json header_since(const Place& since) const;
  // Where the next record goes: where the last one ended, or the beginning of an emptied buffer.
  char* after_record(char* at);
  char* empty_buffer(const char* end);

  const base::StringTable* strings_;
  std::vector<base::StringId> ids_;    // of the strings that the header has
  std::uint32_t numbered_ = 0;         // strings so far
  std::vector<std::uint32_t> locals_;  // by StringId, 0: none yet
  std::vector<trace::Track> tracks_;
  std::string records_;
  // Numbers on their way to records_, which is asked for room once for many of them.
  std::array<char, 4096> buffer_{};
  std::uint64_t count_ = 0;
  Bases bases_;
  Place marked_;
};

// Turns them back. Tracks and strings of later headers come after those of the earlier ones.
class Decoder {
 public:
  explicit Decoder(base::StringTable& strings) : strings_(&strings) {}
  // Appends to the batch; the error is a sentence. Throws nlohmann::json::exception where the
  // header lacks something.
  base::Result<void> read(const nlohmann::json& header, std::string_view records,
                          capture::Batch& batch);

 private:
  base::Result<void> read_tracks(const nlohmann::json& header, capture::Batch& batch);
  bool read_records(std::string_view records, Bases bases, capture::Batch& batch) const;

  base::StringTable* strings_;
  std::size_t tracks_ = 0;
  std::vector<base::StringId> names_ = {base::kNoString};
};

// A header and records in the frame of a file.
std::string piece_of(const nlohmann::json& header, std::string_view records);
// The same without the records.
std::string piece_before_records(const nlohmann::json& header, std::string_view records);
// Adds what a piece tells besides its records.
void add_progress(const RecordingProgress& progress, nlohmann::json& header);
// A run without its records, steps, tracks and strings.
nlohmann::json run_header(const Run& run);
// Throw nlohmann::json::exception where the header lacks something.
base::Result<StartedUpdate> started_from(const nlohmann::json& header, RunId id);
ScriptNotes notes_from(const nlohmann::json& json);
FinishedUpdate end_from(const nlohmann::json& header, RunId id);

}  // namespace ts::run::recording_parts
