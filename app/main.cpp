#include <clocale>
#include <cstdio>
#include <string>
#include <variant>

#include "app/ab_command.h"
#include "app/command_line.h"
#include "app/compare_command.h"
#include "app/doctor.h"
#include "app/hunt_command.h"
#include "app/predict_command.h"
#include "app/replay_command.h"
#include "app/run_command.h"
#include "app/shot_command.h"
#include "app/sweep_command.h"
#include "app/window_command.h"

namespace {

template <class... Parts>
struct Overloaded : Parts... {
  using Parts::operator()...;
};
template <class... Parts>
Overloaded(Parts...) -> Overloaded<Parts...>;

}  // namespace

int main(int argc, char** argv) {
  // Numbers in files and on screen do not follow the user's locale.
  std::setlocale(LC_ALL, "C");
  const auto command = ts::app::parse_command_line(argc, argv);
  if (!command) {
    std::fprintf(stderr, "tensorscope: %s\n", command.error().sentence.c_str());
    return 2;
  }
  return std::visit(
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
      *command);
}
