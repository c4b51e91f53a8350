#pragma once

#include "core/base/string_table.h"
#include "core/run/run.h"

namespace ts::views::testing {

// Gives a made-up run the GPU tracks that its operators would have left: a launch and a kernel for
// each operator of the innermost depths, through the same code that records of CUPTI go through;
// clocks and memory of the device with its steps. No figure in it was measured.
void add_gpu(run::Run& run, base::StringTable& strings);

}  // namespace ts::views::testing
