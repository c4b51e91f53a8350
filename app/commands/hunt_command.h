#pragma once

#include "app/commands/command_line.h"

namespace ts::app {

// Finds the edge of memory by dry runs: with one axis the largest value that fits, with two a map.
// --confirm runs the values at both sides of the edge for real, each in a process of its own.
// Returns the exit code: 0 when there is an answer ("never fits" is one), 1 when a probe or a
// confirmation failed, 2 for bad input.
int hunt_memory(const HuntCommand& command);

}  // namespace ts::app
