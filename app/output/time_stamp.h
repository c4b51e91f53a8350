#pragma once

#include <filesystem>
#include <string>

namespace ts::app {

// Local time as used in file names: "20260131-235959".
std::string time_stamp();

// A path that does not exist yet: "run-20260131-235959"; another one in the same second ends with
// "-2". `extension`: ".png" for a file.
std::filesystem::path new_path(const std::filesystem::path& parent, const std::string& kind,
                               const std::string& extension = {});

// `parent`/`name`, with "-2", "-3" and so on before the extension until the path does not exist.
std::filesystem::path unused_path(const std::filesystem::path& parent, const std::string& name,
                                  const std::string& extension);

}  // namespace ts::app
