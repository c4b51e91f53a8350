#include "app/window/desktop.h"

#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <string>
#include <system_error>

#include "core/text/message.h"

namespace ts::app {

base::Result<void> show_in_desktop(const std::filesystem::path& path) {
  std::error_code ignored;
  std::string folder =
      std::filesystem::is_directory(path, ignored) ? path.string() : path.parent_path().string();
  // The shell ends at once. Its child belongs to nobody here and nobody has to wait for it.
  std::string shell = "sh";
  std::string option = "-c";
  std::string words =
      "command -v xdg-open >/dev/null || exit 1; xdg-open \"$0\" >/dev/null 2>&1 </dev/null &";
  std::array<char*, 5> arguments = {shell.data(), option.data(), words.data(), folder.data(),
                                    nullptr};
  pid_t child = 0;
  int status = 1;
  if (posix_spawnp(&child, "sh", nullptr, nullptr, arguments.data(), environ) != 0 ||
      waitpid(child, &status, 0) != child || status != 0) {
    return text::fail("save_error.not_shown", {{"path", folder}});
  }
  return {};
}

}  // namespace ts::app
