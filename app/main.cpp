#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <clocale>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <system_error>

#include "app/commands/command_line.h"
#include "app/commands/report.h"

namespace {

// A descriptor that the caller closed would be given to the next file that is opened, and what is
// printed would go there. These stand for it, and every use of them fails.
void keep_standard_descriptors() {
  for (const int descriptor : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO}) {
    if (fcntl(descriptor, F_GETFD) >= 0) continue;
    const int opened = open("/dev/null", descriptor == STDIN_FILENO ? O_WRONLY : O_RDONLY);
    if (opened >= 0 && opened != descriptor) dup2(opened, descriptor);
  }
}

// What was printed has arrived, or the command has failed.
int code_after_output(int code) {
  const bool failed = std::ferror(stdout) != 0;
  const bool flushed = std::fflush(stdout) == 0;
  if (flushed && !failed) return code;
  // What failed earlier has been thrown away with its reason: asking for nothing gives it again.
  const bool known = !flushed || write(STDOUT_FILENO, "", 0) < 0;
  std::fprintf(stderr, "tensorscope: Cannot write the output: %s\n",
               known ? std::strerror(errno) : "an earlier part was refused");
  return code == 0 ? 1 : code;
}

}  // namespace

int main(int argc, char** argv) {
  // Numbers in files and on screen do not follow the user's locale.
  std::setlocale(LC_ALL, "C");
  keep_standard_descriptors();
  const auto command = ts::app::parse_command_line(argc, argv);
  if (!command) {
    return ts::app::report(command.error().sentence, 2);
  }
  // Relative names mean nothing there, and LibTorch's MKL ends the program when it is loaded.
  std::error_code removed;
  static_cast<void>(std::filesystem::current_path(removed));
  if (removed && command->run) {
    return ts::app::report("The current folder was removed: change to another one", 2);
  }
  if (!command->run) std::fputs(command->text.c_str(), stdout);
  return code_after_output(command->run ? command->run() : 0);
}
