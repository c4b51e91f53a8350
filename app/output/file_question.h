#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>

#include "core/base/file_range.h"
#include "core/base/result.h"
#include "core/files/memory_part.h"
#include "core/files/opened_file.h"

namespace ts::app {

// The question of a command about a file: which part of it.
struct FileQuestion {
  files::MemoryPart part = {};  // of a snapshot
  base::FileRange range = {};   // of a snapshot or trace
  bool keep_traces = false;     // FileSummary::trace is asked for
  [[nodiscard]] bool of_all() const { return part.is_all() && range.is_all(); }
};

// The options --stream, --pool, --from and --to, and what they say.
struct PartOptions {
  std::optional<std::int64_t> stream = {};
  std::optional<std::string> pool = {};
  std::string from = {}, to = {};
};
// An error is one sentence.
base::Result<FileQuestion> question_of(const PartOptions& options);

// Adds stream, pool and range to what is printed, where they are asked for.
void add_part(nlohmann::json& json, const FileQuestion& question);

// The devices of a snapshot that have the part, with that part of them. The error says which parts
// there are.
base::Result<std::unique_ptr<files::OpenedFile>> asked_part(
    std::unique_ptr<files::OpenedFile> whole, const FileQuestion& question);

// The error for a file that has no such parts.
tl::unexpected<base::Error> only_of_snapshots(const std::filesystem::path& path);
tl::unexpected<base::Error> only_of_events(const std::filesystem::path& path);

// The error for a program or a session, which no command about recordings reads: it names the
// commands that do. Unset: it is none, by its name.
std::optional<base::Error> file_of_other_commands(const std::filesystem::path& path);

// "default" or "FIRST,SECOND".
std::string pool_name(const allocator::PoolId& pool);

}  // namespace ts::app
