#pragma once

#include <filesystem>
#include <functional>
#include <string>
#include <string_view>

#include "core/base/result.h"

namespace ts::io {

// The system's reason, errno's number, as the argument "reason" of a message.
base::Argument system_reason(int error);

// A file of which only a part could be read, and why.
base::Message read_in_part(const std::filesystem::path& path, base::Message why);

// Reads a whole file; the sentence names the path and the system's reason. Pipes and devices are
// refused.
base::Result<std::string> read_file(const std::filesystem::path& path);

// The path from the root on. Errors: it is empty; it is relative and the current folder is gone.
base::Result<std::filesystem::path> absolute_path(const std::filesystem::path& path);

// What stands after `key` and the separator on the first line that begins with it, without blanks
// and quotes around it; empty: there is none. For the system's files: "model name : ...",
// PRETTY_NAME="...".
std::string line_value(const std::filesystem::path& path, std::string_view key, char separator);

// With the folders above it; nothing happens where it is there.
base::Result<void> make_folder(const std::filesystem::path& folder);

// Writes to a neighbour and renames it over the target, so that nobody ever sees half a file and a
// full disk leaves the old one. What killed processes left of such neighbours is removed.
base::Result<void> write_file(const std::filesystem::path& path, std::string_view content);

// The same for output too large to hold: `produce` is called with a function that takes pieces.
using WritePiece = std::function<void(std::string_view)>;
base::Result<void> write_file(const std::filesystem::path& path,
                              const std::function<void(const WritePiece&)>& produce);

}  // namespace ts::io
