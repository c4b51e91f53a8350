#pragma once

#include <filesystem>
#include <string>

namespace ts::files {

// The name of a file beside another one: with its folder where their names are equal, as of
// "a/snapshot.pickle" and "b/snapshot.pickle".
inline std::string file_label(const std::filesystem::path& path,
                              const std::filesystem::path& beside) {
  const std::filesystem::path name = path.filename();
  const bool alike = path != beside && name == beside.filename();
  return alike ? (path.parent_path().filename() / name).string() : name.string();
}

}  // namespace ts::files
