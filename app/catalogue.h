#pragma once

#include "core/run/cuda_scratch.h"
#include "core/run/gpu_catalogue.h"

namespace ts::app {

// The cards that travel inside the program.
run::GpuCatalogue built_in_gpus();
// Bytes inside CUDA kernels, likewise.
run::CudaScratch built_in_scratch();

}  // namespace ts::app
