#pragma once

#include "app/commands/command_line.h"

namespace ts::app {

// `tensorscope predict`: dry-runs the workload and says whether it fits. Exit code 0 whatever the
// answer is, 1 when the engine cannot be loaded or the dry run fails, 2 for bad input.
int predict_workload(const PredictCommand& command);

}  // namespace ts::app
