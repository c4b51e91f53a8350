#pragma once

#include <cstddef>
#include <filesystem>
#include <functional>
#include <limits>
#include <optional>
#include <string>
#include <string_view>

#include "core/base/message.h"
#include "core/base/progress.h"
#include "core/base/result.h"

namespace ts::io {

// How a file is read.
struct Reading {
  base::Progress* progress = nullptr;  // null: nobody follows; cancelled: the error says so
  std::size_t most = std::numeric_limits<std::size_t>::max();  // bytes, from the file's beginning
};

// The system's reason for errno value `error`, as the argument "reason" of a message.
base::Argument system_reason(int error);

// The message for a file that could only be read in part, with the reason.
base::Message read_in_part(const std::filesystem::path& path, base::Message why);

// Reads a whole file; the error names the path and the system's reason. Pipes and devices are
// refused.
base::Result<std::string> read_file(const std::filesystem::path& path, const Reading& how = {});

// Why nothing is read from a path or written to it as a file: a folder, a pipe or a device is
// there. Nothing where a file or nothing is.
std::optional<base::Message> reason_no_file(const std::filesystem::path& path);

// The absolute path, without parts named ".". Errors: it is empty; it is relative and the current
// folder does not exist.
base::Result<std::filesystem::path> absolute_path(const std::filesystem::path& path);

// The text after `key` and the separator on the first line that begins with it, without surrounding
// blanks and quotes; empty if there is none. For system files: "model name : ...",
// PRETTY_NAME="...".
std::string line_value(const std::filesystem::path& path, std::string_view key, char separator);

// Creates the folder and its parents; does nothing if it exists.
base::Result<void> make_folder(const std::filesystem::path& folder);

// Writes to a neighbour file and renames it over the target, so that no reader sees half a file and
// a full disk leaves the old one. Neighbour files of killed processes are removed.
base::Result<void> write_file(const std::filesystem::path& path, std::string_view content);

// The same for output too large for memory: `produce` is called with a function that takes pieces.
using WritePiece = std::function<void(std::string_view)>;
base::Result<void> write_file(const std::filesystem::path& path,
                              const std::function<void(const WritePiece&)>& produce);
// The same for what may fail: then nothing is written, and its error is returned.
base::Result<void> write_file_unless(
    const std::filesystem::path& path,
    const std::function<base::Result<void>(const WritePiece&)>& produce);

}  // namespace ts::io
