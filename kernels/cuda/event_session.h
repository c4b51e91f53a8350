#pragma once

#include "core/capture/gpu_source.h"

namespace ts::kernels {

// Times operators by CUDA events, for machines where CUPTI cannot record kernels. One per process.
capture::GpuSource event_source();

}  // namespace ts::kernels
