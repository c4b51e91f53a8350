#pragma once

#include "app/commands/command_line.h"

namespace ts::app {

// Runs the points of a sweep, progress on stderr, and writes sweep.json, sweep.csv, sweep.md,
// sweep.tex and the figure. Every point is in sweep.jsonl as soon as it has ended, so that a sweep
// that was ended by Control-C, a crash or a full disk goes on with --resume. Returns the exit code:
// 0 when every point is known (out of memory is a result), 1 when some failed or are missing or a
// file could not be written, 2 for bad input.
int run_sweep(const SweepCommand& command);

}  // namespace ts::app
