#pragma once

#include <any>
#include <filesystem>
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "core/base/result.h"

namespace CLI {
class App;
}

// All commands. Each has a file NAME_command.cpp in app/commands, or in a folder of its own, with
// its options and its code. A new command needs a line here.
#define TENSORSCOPE_COMMANDS(EACH)                                                           \
  EACH(run, "Run a workload without a window")                                               \
  EACH(ab, "Time two variants of a workload by turns: faster, slower, same or unclear")      \
  EACH(bench, "Time our own kernels and PyTorch's by turns over many sizes")                 \
  EACH(sweep, "Run a workload over a range of settings")                                     \
  EACH(shot, "Render a workspace to a PNG; needs no display")                                \
  EACH(replay, "Replay a memory snapshot through a model of PyTorch's caching allocator")    \
  EACH(convert, "Write a memory snapshot or a trace of a profiler in another format")        \
  EACH(diff, "Say what differs between two files of one kind")                               \
  EACH(summary, "Say what is in a memory snapshot, a trace of a profiler, a run or a sweep") \
  EACH(predict, "Say what memory a workload needs on a card, without running it")            \
  EACH(hunt, "Find the largest setting that fits a card")                                    \
  EACH(advise, "Find the fastest settings of a workload that fit a card")                    \
  EACH(tree, "Walk a decision tree of the material with the evidence at every node")         \
  EACH(compare, "Say what differs between two points of a sweep")                            \
  EACH(lesson, "Do an exercise of the course from its question to what is handed in")        \
  EACH(calculate, "Calculate memory, FLOPs, communication and more, each term shown")        \
  EACH(simulate, "Simulate many ranks, a pipeline or a loader from stated constants")        \
  EACH(loader, "Load images or tokens with workers: the step or the loader, and how many")   \
  EACH(step, "Go through attention, sums, AdamW, checkpoints, reserved memory step by step") \
  EACH(export, "Write the module of a Python file as torch.export has it, for --model")      \
  EACH(script, "Write the step as it is set as a script in PyTorch's Python")                \
  EACH(kernel, "Check a kernel of your own, in CUDA C++ or C++, without a GPU")              \
  EACH(report, "Make one report of saved runs, predictions, sweeps, hunts and comparisons")  \
  EACH(doctor, "Say what this machine offers")

namespace ts::app {

struct PartOptions;  // of a part of a file

// Why a command ends without its result: a sentence for stderr, and the exit code. An error that
// TS_TRY passes on is one of bad input.
struct Ended {
  Ended(base::Error error, int exit_code = 2) : why(std::move(error)), code(exit_code) {}
  base::Error why;
  int code;
};
// The exit code of a command, or why there is none yet.
using Exit = tl::expected<int, Ended>;

// TS_TRY(const auto run, or_failed(run_it())): the input is good, but it cannot be done.
template <class T>
tl::expected<T, Ended> or_failed(base::Result<T> result) {
  return std::move(result).map_error([](base::Error why) { return Ended(std::move(why), 1); });
}

// The parsed command line. Only the form of values is checked here; `run` checks the values.
struct ParsedCommand {
  // Runs the command. Exit codes: 0 ok, 1 it failed or ran out of memory, 2 bad input. Empty where
  // there is only `text`.
  std::function<Exit()> run;
  std::any options;  // std::shared_ptr to the command's own struct, filled when parsed
  std::string text;  // --help, --version: print and exit
};

// Each function adds the options of its command to `app`.
#define TENSORSCOPE_COMMAND(name, help) ParsedCommand name##_command(CLI::App& app);
TENSORSCOPE_COMMANDS(TENSORSCOPE_COMMAND)
#undef TENSORSCOPE_COMMAND
// The window, used when no command is given.
ParsedCommand window_command(CLI::App& app);

// For commands that need nothing but their parsed options when they run.
template <class Options, class Run>
ParsedCommand parsed_command(const std::shared_ptr<Options>& options, Run run) {
  return {[options, run] { return run(*options); }, options, {}};
}

// Options of several commands: --format, --lang, --out FILE and --json.
void add_format(CLI::App& app, std::string& format);
void add_language(CLI::App& app, std::string& language);
void add_out_file(CLI::App& app, std::filesystem::path& out);
void add_json(CLI::App& app, bool& json);
// One of the things that the command lists without it, and its numbers: NAME=NUMBER.
void add_listed(CLI::App& app, const char* name, std::string& value,
                std::vector<std::string>& numbers);
// For commands that take a part of a file.
void add_part_options(CLI::App& app, PartOptions& options);

// An error is one sentence for stderr; the program then ends with exit code 2.
base::Result<ParsedCommand> parse_command_line(int argc, const char* const* argv);

}  // namespace ts::app
