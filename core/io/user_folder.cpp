#include "core/io/user_folder.h"

#include <cstdlib>

#include "core/text/message.h"

namespace ts::io {
namespace {

std::filesystem::path absolute_path_in(const char* variable) {
  const char* const value = std::getenv(variable);
  return value != nullptr && *value == '/' ? std::filesystem::path(value) : std::filesystem::path();
}

}  // namespace

base::Result<std::filesystem::path> user_folder(const char* variable, const char* below_home) {
  if (const auto named = absolute_path_in(variable); !named.empty()) return named / "tensorscope";
  if (const auto home = absolute_path_in("HOME"); !home.empty()) {
    return home / below_home / "tensorscope";
  }
  return text::fail("file_error.no_user_folder", {{"variable", variable}});
}

}  // namespace ts::io
