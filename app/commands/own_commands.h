#pragma once

#include <chrono>
#include <functional>
#include <string>

#include "app/commands/command_line.h"
#include "app/commands/spec_arguments.h"
#include "app/own_file/own_file.h"

namespace CLI {
class App;
}

// The commands run, predict and export for a Python file of the user's own.
namespace ts::app {

struct RunCommand;
struct SweepCommand;
struct AbCommand;

struct OwnOptions {
  std::string python;  // empty: own_python()
  int timeout_s = 600;
};
void add_own_options(CLI::App& command, OwnOptions& options);

// The question of "--model FILE.py:FUNCTION --set ARGUMENT=VALUE". The error names what cannot
// stand beside such a file.
base::Result<OwnQuestion> own_question(const OwnFile& file, const SpecArguments& arguments,
                                       const OwnOptions& options);

// Why a file could not be asked: 1 if its run failed or was ended, 2 if it cannot be used.
Ended own_end(base::Error error);
// Waits for a question on a thread of its own; Control-C ends the process that answers it. What
// `ask` gives for a process and a token, or own_end(). `so_far`: words for a terminal, asked on
// this thread.
using SoFar = std::function<std::string()>;
template <class Ask>
auto ask_own(const OwnQuestion& question, const Ask& ask, const SoFar& so_far = {});

// "model.py:build(B=2, T=64)"
std::string own_title(const OwnQuestion& question);
nlohmann::json own_json(const OwnQuestion& question);

// run --model FILE.py: set-up and a few steps on the CPU, recorded.
Exit run_own(const RunCommand& command, const OwnFile& file);
// sweep --model FILE.py: over its arguments.
Exit sweep_own(const SweepCommand& command, const OwnFile& file);
// ab --model FILE.py --with ARGUMENT=VALUE: the times of plain steps on the CPU, by turns.
Exit compare_own_settings(const AbCommand& command, const OwnFile& file);

}  // namespace ts::app

#include <utility>

#include "app/commands/report.h"
#include "app/session/interrupt.h"

namespace ts::app {

template <class Ask>
auto ask_own(const OwnQuestion& question, const Ask& ask, const SoFar& so_far) {
  ProgressLine progress;
  auto answer = unless_interrupted(
      [&](const base::CancelToken& cancel) {
        OwnProcess process;  // ends with this thread
        return ask(process, cancel);
      },
      [&](std::chrono::milliseconds waited) {
        progress.show(own_title(question) + ", " + (so_far ? so_far() + ", " : "") +
                      std::to_string(waited / std::chrono::seconds(1)) + " s so far");
      });
  progress.clear();
  return std::move(answer).map_error(own_end);
}

}  // namespace ts::app
