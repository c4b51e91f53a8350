#pragma once

#include <filesystem>
#include <string>
#include <string_view>

// The executor's object among the user's files: its sources take longer to compile than a kernel.
namespace ts::kernel_check {

// The file in which the object is kept that a compiler makes of `sources`; `version` is what the
// compiler says of itself. It lies in kernel_check/ in io::user_folder("XDG_CACHE_HOME", ".cache").
// Empty: there is no such folder.
std::filesystem::path kept_executor(std::string_view sources, std::string_view version);

// Keeps the object for the next check. A failure to keep it is no error: it is compiled again.
void keep_executor(const std::filesystem::path& object, const std::filesystem::path& kept);

}  // namespace ts::kernel_check
