#include "app/window/restart.h"

#include <linux/close_range.h>
#include <unistd.h>

#include <cerrno>
#include <string>

#include "core/io/file.h"
#include "core/text/message.h"

namespace ts::app {

base::Message restart(const std::filesystem::path& program,
                      const std::vector<std::filesystem::path>& files) {
  // The name that the program was started with is not kept; any name will do.
  std::vector<std::string> words = {"tensorscope"};
  for (const std::filesystem::path& file : files) words.push_back(file.string());
  std::vector<char*> arguments;
  for (std::string& word : words) arguments.push_back(word.data());
  arguments.push_back(nullptr);
  // The new program must not inherit the open display and driver.
  constexpr unsigned kFirstOfOurs = 3;
  close_range(kFirstOfOurs, ~0U, CLOSE_RANGE_CLOEXEC);
  execv(program.c_str(), arguments.data());
  return text::message("restart.failed", {io::system_reason(errno)});
}

}  // namespace ts::app
