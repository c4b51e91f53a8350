#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/result.h"
#include "core/base/string_table.h"
#include "core/run/run.h"

namespace ts::run {

// A run as a file: what the worker and the collector told of it, so that reading tells the same to
// a new Run. A line with format and version, sizes and a checksum, a JSON header (specification,
// protocol, steps, facts, verdict, tracks, strings), then the slices and memory records, each
// number as a variable-length difference to the one before. About 15 bytes a record.

// The most bytes a recording may take, in memory while it grows and as a file.
inline constexpr std::size_t kMostRecordingBytes = std::size_t{32} << 20;

// Gathers a run while it goes on. One owner thread.
class RecordingWriter {
 public:
  RecordingWriter(RunId id, const base::StringTable& strings) : id_(id), strings_(&strings) {}

  [[nodiscard]] RunId id() const { return id_; }
  void add(const capture::Batch& batch);
  // It grew beyond kMostRecordingBytes: what there was is thrown away.
  [[nodiscard]] bool too_large() const { return too_large_; }
  // The whole file, of the run that the batches belong to, which has ended.
  [[nodiscard]] std::string file(const Run& run) const;

 private:
  std::uint64_t local(base::StringId id);
  void number(std::uint64_t value);
  void difference(std::int64_t value, std::int64_t& before);

  RunId id_;
  const base::StringTable* strings_;
  std::vector<base::StringId> ids_;    // of the strings of the file
  std::vector<std::uint32_t> locals_;  // by StringId, 0: none yet
  std::vector<trace::Track> tracks_;
  std::string records_;
  std::uint64_t count_ = 0;
  std::int64_t slice_ns_ = 0, record_ns_ = 0, address_ = 0;
  bool too_large_ = false;
};

// The run of a file, with that id. The error says in one sentence what is wrong with it; nothing is
// shown of a file that is cut off or damaged. Any thread.
base::Result<std::shared_ptr<Run>> read_recording(std::string_view file, RunId id,
                                                  base::StringTable& strings);

}  // namespace ts::run
