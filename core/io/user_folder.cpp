#include "core/io/user_folder.h"

#include "core/base/environment.h"
#include "core/text/message.h"

namespace ts::io {

base::Result<std::filesystem::path> user_folder(const char* variable, const char* below_home) {
  const std::filesystem::path named = base::environment_variable(variable);
  if (named.is_absolute()) return named / "tensorscope";
  const std::filesystem::path home = base::environment_variable("HOME");
  if (home.is_absolute()) return home / below_home / "tensorscope";
  return text::fail("file_error.no_user_folder", {{"variable", variable}});
}

}  // namespace ts::io
