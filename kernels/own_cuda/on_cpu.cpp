#include "kernels/own_cuda/on_cpu.h"

#include <map>

#include "core/base/check.h"

namespace ts::kernels::own_cuda {
namespace {

std::map<std::string, KernelOnCpu>& known() {
  static std::map<std::string, KernelOnCpu> all;
  return all;
}

}  // namespace

KnownOnCpu::KnownOnCpu(const char* name, KernelOnCpu kernel) {
  known()[name] = kernel;
}

executor::Finding run_on_cpu(const std::string& name, executor::Size3 grid, executor::Size3 block,
                             std::size_t shared_bytes, const void* problem) {
  const auto found = known().find(name);
  TS_CHECK(found != known().end());
  return executor::launch(grid, block, shared_bytes, [&] { found->second(problem); });
}

}  // namespace ts::kernels::own_cuda
