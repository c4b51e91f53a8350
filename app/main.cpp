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

// The next opened file would get a descriptor that the caller closed, and printed text would go
// there. These take its number, and every use of them fails.
void keep_standard_descriptors() {
  for (const int descriptor : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO}) {
    if (fcntl(descriptor, F_GETFD) >= 0) continue;
    const int opened = open("/dev/null", descriptor == STDIN_FILENO ? O_WRONLY : O_RDONLY);
    if (opened >= 0 && opened != descriptor) dup2(opened, descriptor);
  }
}

// The exit code after all output is written; unwritten output is a failure.
int code_after_output(int code) {
  const bool failed = std::ferror(stdout) != 0;
  const bool flushed = std::fflush(stdout) == 0;
  if (flushed && !failed) return code;
  // The reason of an earlier failure is lost; an empty write returns it again.
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
  // In a removed folder relative names have no meaning, and LibTorch's MKL ends the program at
  // load.
  std::error_code removed;
  static_cast<void>(std::filesystem::current_path(removed));
  if (removed && command->run) {
    return ts::app::report("The current folder was removed: change to another one", 2);
  }
  if (!command->run) std::fputs(command->text.c_str(), stdout);
  const ts::app::Exit exit = command->run ? command->run() : 0;
  const int code =
      code_after_output(exit ? *exit : ts::app::report(exit.error().why, exit.error().code));
  // All is written. At a usual end LibTorch takes its tables of operators apart, a quarter of the
  // processor's time of a short command.
  _exit(code);
}
