#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace ts::app {

// Starts `program` in the place of this process, with these files as its arguments; what was open
// is closed, threads end where they are. Returns only if that fails, with the sentence why.
std::string restart(const std::filesystem::path& program,
                    const std::vector<std::filesystem::path>& files);

// This program, whatever has become of its file's name since it was started.
inline const char* const kThisProgram = "/proc/self/exe";

}  // namespace ts::app
