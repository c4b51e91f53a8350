#pragma once

#include "kernels/cuda/api.h"

namespace ts::kernels {

// Launches a kernel of ours by the driver, on the current stream of the device. The first launch
// loads all compiled kernels of the folder for that device. Null, or a sentence: there are none, or
// none of that name for this card, or what the driver says. Any thread.
const char* launch_own_kernel(const CudaLaunch& launch);

}  // namespace ts::kernels
