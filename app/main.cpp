#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <clocale>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <string>
#include <system_error>
#include <variant>

#include "app/commands/ab_command.h"
#include "app/commands/command_line.h"
#include "app/commands/compare_command.h"
#include "app/commands/doctor.h"
#include "app/commands/hunt_command.h"
#include "app/commands/predict_command.h"
#include "app/commands/replay_command.h"
#include "app/commands/report.h"
#include "app/commands/run_command.h"
#include "app/commands/shot_command.h"
#include "app/commands/sweep_command.h"
#include "app/commands/window_command.h"

namespace {

template <class... Parts>
struct Overloaded : Parts... {
  using Parts::operator()...;
};
template <class... Parts>
Overloaded(Parts...) -> Overloaded<Parts...>;

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
  if (removed && !std::holds_alternative<ts::app::TextCommand>(*command)) {
    return ts::app::report("The current folder was removed: change to another one", 2);
  }
  return code_after_output(std::visit(
      Overloaded{
          [](const ts::app::WindowCommand& window) { return ts::app::open_window(window); },
          [](const ts::app::RunCommand& run) { return ts::app::run_workload(run); },
          [](const ts::app::AbCommand& two) { return ts::app::compare_workloads(two); },
          [](const ts::app::SweepCommand& sweep) { return ts::app::run_sweep(sweep); },
          [](const ts::app::ShotCommand& shot) { return ts::app::take_shot(shot); },
          [](const ts::app::ReplayCommand& replay) { return ts::app::replay_snapshot(replay); },
          [](const ts::app::PredictCommand& predict) { return ts::app::predict_workload(predict); },
          [](const ts::app::HuntCommand& hunt) { return ts::app::hunt_memory(hunt); },
          [](const ts::app::CompareCommand& compare) { return ts::app::compare_points(compare); },
          [](const ts::app::DoctorCommand& doctor) { return ts::app::print_doctor(doctor); },
          [](const ts::app::TextCommand& text) {
            std::fputs(text.text.c_str(), stdout);
            return 0;
          },
      },
      *command));
}
