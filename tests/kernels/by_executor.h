#pragma once

#include "kernels/operators/on_cuda.h"
#include "kernels/own_cuda/on_cpu.h"

namespace ts::kernels {

// Runs a kernel of kernels/own_cuda on tensors of the CPU: a launcher for CpuAsCuda.
inline const char* run_by_executor(const OwnLaunch& launch) {
  const auto [grid, block] = std::pair(launch.grid, launch.block);
  const executor::Finding finding =
      own_cuda::run_on_cpu(launch.kernel, {grid[0], grid[1], grid[2]},
                           {block[0], block[1], block[2]}, launch.shared_bytes, launch.problem);
  return finding ? executor::name_of(finding.kind) : nullptr;
}

}  // namespace ts::kernels
