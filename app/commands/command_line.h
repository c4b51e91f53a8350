#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "core/base/result.h"

namespace ts::app {

// What the user asked for on the command line. Values are not looked at beyond their form; the
// commands check them.
struct WindowCommand {
  std::vector<std::filesystem::path> files;
};
struct SpecArguments {
  std::string workload;  // empty: attention
  std::string preset;    // empty: the workload's first
  std::optional<std::filesystem::path> spec_file;
  std::vector<std::string> settings;  // "key=value", applied last, in order
};
struct RunCommand {
  SpecArguments spec;
  int steps = 0;  // timed steps; 0: until the median is known well enough
  std::optional<std::filesystem::path> out;
  bool json = false;
  bool operators = false;  // the tables of operators, too
  bool log = false;        // nanoGPT's line for every timed step
};
struct AbCommand {
  SpecArguments spec;                // of A
  std::vector<std::string> changes;  // "key=value", what is different in B
  int pairs = 0;                     // 0: until the ratio is known well enough
  bool json = false;
};
struct SweepCommand {
  SpecArguments spec;
  std::vector<std::string> axes;      // "T=256:2048:x2", one or two
  std::vector<std::string> series;    // "backend=naive,flash"
  int steps = 0;                      // as in RunCommand
  std::optional<double> max_seconds;  // of one point; nothing: as SweepSpec has it
  std::optional<std::string> gpu;     // run and predict on this card
  bool predict = false;               // only that, run nothing
  bool resume = false;
  std::string fit;     // "T=512:2048": what is fitted; empty: everything
  std::string linear;  // axes of the figure that are linear whatever suits them: x, y or xy
  std::string log;     // likewise
  std::string size = "1920x1080";  // of the figure, as are theme and language
  std::string theme = "light";
  std::string language = "en";
  bool charts = false;  // each alone, too
  std::filesystem::path out;
  bool json = false;
};
struct ShotCommand {
  SpecArguments spec;
  std::string workspace = "run";
  std::optional<std::string> tab;              // of the table of operators
  std::optional<std::filesystem::path> sweep;  // a folder of tensorscope sweep, for that page
  std::string size = "1920x1080";
  double scale = 1;
  std::string theme = "dark";
  std::string language = "en";
  std::filesystem::path out;
  std::vector<std::filesystem::path> files;  // to open instead of running a workload
};
struct ReplayCommand {
  std::filesystem::path snapshot;
  std::optional<int> device;              // unset: the first one with a trace
  std::optional<std::string> gpu;         // unset: as much memory as needed
  std::optional<std::string> alloc_conf;  // unset: the settings of the recording
  bool json = false;
};
struct PredictCommand {
  SpecArguments spec;
  std::optional<std::string> gpu;         // unset: target_gpu of the spec
  bool cpu = false;                       // for the CPU and its memory limit instead
  std::optional<std::string> alloc_conf;  // unset: that of the spec
  bool json = false;
};
struct HuntCommand {
  SpecArguments spec;
  std::vector<std::string> axes;   // "T" or "T=256:8192", one or two
  std::optional<std::string> gpu;  // as in PredictCommand
  bool cpu = false;
  bool confirm = false;
  bool every_cell = false;                   // of a map: none is inferred
  std::optional<std::filesystem::path> out;  // of a map
  bool json = false;
};
struct CompareCommand {
  std::filesystem::path sweep;  // a folder of tensorscope sweep
  std::string first, second;    // points, as the files in its folder of points are called
  bool json = false;
};
struct DoctorCommand {
  bool json = false;
};
struct TextCommand {  // --help, --version: print and leave
  std::string text;
};
using Command =
    std::variant<WindowCommand, RunCommand, AbCommand, SweepCommand, ShotCommand, ReplayCommand,
                 PredictCommand, HuntCommand, CompareCommand, DoctorCommand, TextCommand>;

// An error is one sentence for stderr; the program then ends with exit code 2.
base::Result<Command> parse_command_line(int argc, const char* const* argv);

}  // namespace ts::app
