#pragma once

#include "core/capture/gpu_source.h"

namespace ts::kernels {

// Operators timed by CUDA events, for where CUPTI cannot record kernels. One for the process.
capture::GpuSource event_source();

}  // namespace ts::kernels
