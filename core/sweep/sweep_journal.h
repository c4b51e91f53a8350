#pragma once

#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/result.h"
#include "core/io/input_file.h"
#include "core/sweep/sweep_json.h"

namespace ts::sweep {

// The file from which a sweep can be continued: a header line (format, identity, specification),
// then one JSON line per point that was run, each written and synced before the next point begins.
// A line that was cut off by a crash is dropped when the file is continued. The last line of a
// point counts. A line with only "sweep" is a wider specification for the lines after it.

// Must be equal for points to be comparable: {"program": ..., "libtorch": ..., "device": ...}.
using SweepIdentity = nlohmann::json;

struct JournalContent {
  SweepIdentity identity;
  SweepSpec spec;
  std::vector<nlohmann::json> points;
  std::vector<std::size_t> lines;     // of each point
  std::uintmax_t complete_bytes = 0;  // up to the end of the last whole line
  std::uintmax_t bytes = 0;           // of the file when it was read
};
// Errors name the file, and the line if there is one, with a remedy.
base::Result<JournalContent> read_journal(const std::filesystem::path& path);
// The same for the content of a file of that name.
base::Result<JournalContent> parse_journal(std::string_view text,
                                           const std::filesystem::path& path);

// True if the file does not exist or holds only a header cut off by a crash: a sweep may begin.
bool is_new_journal(const std::filesystem::path& path);

// An error of one sentence if the journal was made by another program, engine or device: its points
// are never mixed with those of this one.
base::Result<void> same_identity(const JournalContent& content, const SweepIdentity& identity,
                                 const std::filesystem::path& path);
// Sets the results of the journal in the sweep. Points that were cancelled or failed are run again.
base::Result<void> restore(Sweep& sweep, const JournalContent& content,
                           const std::filesystem::path& path);

class SweepJournal {
 public:
  // A new file; an error if there is one already, unless it has no complete header.
  static base::Result<SweepJournal> create(const std::filesystem::path& path, const SweepSpec& spec,
                                           const SweepIdentity& identity);
  // Continues the same file after `content`.
  static base::Result<SweepJournal> resume(const std::filesystem::path& path,
                                           const JournalContent& content);
  // If it cannot be written (a full disk), the file keeps its whole lines, and the line is kept in
  // memory and written before the next one.
  base::Result<void> append(const nlohmann::json& point);
  base::Result<void> widen(const SweepSpec& spec);
  base::Result<void> write_waiting();
  [[nodiscard]] std::size_t waiting() const { return waiting_.size(); }

 private:
  SweepJournal(std::filesystem::path path, io::Descriptor file, std::uintmax_t size)
      : path_(std::move(path)), file_(std::move(file)), size_(size) {}
  base::Result<void> write_line(const std::string& line);

  std::filesystem::path path_;
  io::Descriptor file_;
  std::uintmax_t size_ = 0;
  std::vector<std::string> waiting_;
};

}  // namespace ts::sweep
