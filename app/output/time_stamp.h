#pragma once

#include <filesystem>
#include <string>

namespace ts::app {

// Local time as it stands in names of files: "20260131-235959".
std::string time_stamp();

// Where nothing is yet: "run-20260131-235959", and with "-2" at the end what comes in the same
// second. `extension`: ".png" for a file.
std::filesystem::path new_path(const std::filesystem::path& parent, const std::string& kind,
                               const std::string& extension = {});

// `parent`/`name` with "-2", "-3" and so on before the extension until nothing is there.
std::filesystem::path unused_path(const std::filesystem::path& parent, const std::string& name,
                                  const std::string& extension);

}  // namespace ts::app
