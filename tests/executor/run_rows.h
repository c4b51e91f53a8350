#pragma once

#include <string>

#include "core/report/row_launch.h"
#include "kernels/own_cuda/on_cpu.h"

namespace ts::kernels::own_cuda {

// Runs a kernel over rows of `type`, in the blocks that the engine launches.
inline executor::Finding run_rows_on_cpu(const std::string& name, const std::string& type,
                                         report::RowLaunch launch, std::size_t rows,
                                         std::size_t width, unsigned row_blocks,
                                         const void* problem) {
  const std::int64_t bytes = type == "fp32" ? 4 : 2;
  const auto columns = static_cast<std::int64_t>(width);
  const report::Threads threads = report::threads_of(launch, columns, bytes);
  const auto blocks = static_cast<unsigned>(
      report::blocks_of(launch, static_cast<std::int64_t>(rows), columns, bytes));
  return run_on_cpu(name + "_" + type, {blocks, row_blocks, 1}, {threads.x, threads.y, 1}, 0,
                    problem);
}

}  // namespace ts::kernels::own_cuda
