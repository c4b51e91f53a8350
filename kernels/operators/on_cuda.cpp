#include "kernels/operators/on_cuda.h"

#include <c10/util/Exception.h>

#include <algorithm>
#include <atomic>

#include "kernels/observe/dry_recording.h"

namespace ts::kernels {
namespace {

std::atomic<OwnLauncher> own_launcher{nullptr};
std::atomic<DeviceCapability> device_capability{nullptr};
std::atomic<int> cpu_as_cuda{0};  // its capability; 0: it is none

}  // namespace

void set_own_launcher(OwnLauncher launcher, DeviceCapability capability) {
  own_launcher = launcher;
  device_capability = capability;
}

CpuAsCuda::CpuAsCuda(OwnLauncher launcher, int capability)
    : before_(own_launcher.exchange(launcher)) {
  cpu_as_cuda = capability;
}

CpuAsCuda::~CpuAsCuda() {
  cpu_as_cuda = 0;
  own_launcher = before_;
}

bool runs_on_cuda(const at::Tensor& x) {
  if (x.is_cuda() || cpu_as_cuda != 0) return true;
  return x.is_meta() && DryRecording::follows_cuda();
}

int capability_of(const at::Tensor& x) {
  const DryRecording* const dry = DryRecording::current();
  if (x.is_meta()) return dry != nullptr ? dry->options().compute_capability : 0;
  const DeviceCapability ask = device_capability;
  return x.is_cuda() && ask != nullptr ? ask(x.get_device()) : cpu_as_cuda.load();
}

std::string name_of_type(const at::Tensor& x) {
  switch (x.scalar_type()) {
    case at::kBFloat16:
      return "bf16";
    case at::kHalf:
      return "fp16";
    default:
      return "fp32";
  }
}

void* data_of(const at::Tensor& x) {
  return x.defined() ? x.data_ptr() : nullptr;
}

float* floats_of(const at::Tensor& x) {
  return static_cast<float*>(data_of(x));
}

void launch_own(OwnLaunch launch, const at::Tensor& x) {
  if (x.is_meta() || launch.grid[0] == 0) return;
  const OwnLauncher launcher = own_launcher;
  launch.device = x.is_cuda() ? x.get_device() : 0;
  const char* const failed =
      launcher != nullptr ? launcher(launch) : "there is nothing that launches them";
  TORCH_CHECK(failed == nullptr, "Our kernel ", launch.kernel, " did not start: ", failed);
}

void launch_own(const char* function, const at::Tensor& x, Size3 grid, Size3 block,
                const void* problem) {
  launch_own({.kernel = function + ("_" + name_of_type(x)),
              .grid = grid,
              .block = block,
              .problem = problem},
             x);
}

void launch_rows(const char* function, report::RowLaunch launch, const at::Tensor& x,
                 const RowsToLaunch& over, const void* problem) {
  const auto bytes = static_cast<std::int64_t>(x.element_size());
  const report::Threads threads = report::threads_of(launch, over.width, bytes);
  const auto blocks =
      static_cast<unsigned>(report::blocks_of(launch, over.rows, over.width, bytes));
  launch_own(function, x, {blocks, static_cast<unsigned>(over.row_blocks), 1},
             {threads.x, threads.y, 1}, problem);
}

}  // namespace ts::kernels
