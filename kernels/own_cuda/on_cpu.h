#pragma once

#include <string>

#include "kernels/executor/executor.h"

// The kernels of this folder, compiled for the processor: they run in the executor, by name.
namespace ts::kernels::own_cuda {

using KernelOnCpu = void (*)(const void* problem);

// Runs a kernel of this folder. `problem` is the struct that it takes; of its tensors those of
// executor::allocate are watched. The name must be one of them.
executor::Finding run_on_cpu(const std::string& name, executor::Size3 grid, executor::Size3 block,
                             std::size_t shared_bytes, const void* problem);

// Makes a kernel known; for the macros that define kernels.
struct KnownOnCpu {
  KnownOnCpu(const char* name, KernelOnCpu kernel);
};

}  // namespace ts::kernels::own_cuda
