#pragma once

#include <ATen/core/Tensor.h>

#include <array>
#include <cstdint>
#include <string>

#include "core/report/row_launch.h"

// The operators of this folder and attention by the kernels of kernels/own_cuda: for tensors of a
// CUDA device, and in dry runs by CUDA's rules, where they make the same blocks and launch nothing.
// Sums are fp32.
namespace ts::kernels {

using Size3 = std::array<unsigned, 3>;

// One launch on the current stream of a tensor's device. The kernel takes a copy of `problem`.
struct OwnLaunch {
  std::string kernel;  // its name in kernels/own_cuda: "softmax_forward_bf16"
  Size3 grid, block;
  unsigned shared_bytes = 0;  // of a block, beside what the kernel has by itself
  const void* problem = nullptr;
  int device = 0;
};
// Null, or a sentence that says why it could not launch.
using OwnLauncher = const char* (*)(const OwnLaunch& launch);
// The compute capability of a device: 90 is sm_90; 0: it cannot be asked. Any thread.
using DeviceCapability = int (*)(int device);
// How kernels are launched from here on; before the first launch, any thread.
void set_own_launcher(OwnLauncher launcher, DeviceCapability capability);

// While it lives tensors on the CPU are taken for those of a CUDA device, by all threads: for
// tests, with a launcher that runs kernels on the processor.
class CpuAsCuda {
 public:
  explicit CpuAsCuda(OwnLauncher launcher, int capability = 90);
  ~CpuAsCuda();
  CpuAsCuda(const CpuAsCuda&) = delete;
  CpuAsCuda& operator=(const CpuAsCuda&) = delete;

 private:
  OwnLauncher before_;
};

bool runs_on_cuda(const at::Tensor& x);

// The compute capability of the device that runs_on_cuda() means, in a dry run of the card asked
// for; 0: not known.
int capability_of(const at::Tensor& x);

// "fp32", "bf16" or "fp16", as the names of kernels have it.
std::string name_of_type(const at::Tensor& x);

// Null of an undefined tensor. The second is of fp32.
void* data_of(const at::Tensor& x);
float* floats_of(const at::Tensor& x);

// Launches a kernel on the device of x, nothing for tensors without data. Throws c10::Error.
void launch_own(OwnLaunch launch, const at::Tensor& x);
// Launches `function` for the type of x.
void launch_own(const char* function, const at::Tensor& x, Size3 grid, Size3 block,
                const void* problem);
// A matrix of numbers of the type of x. `row_blocks`: blocks of rows, of
// report::RowLaunch::columns.
struct RowsToLaunch {
  std::int64_t rows, width, row_blocks = 1;
};
void launch_rows(const char* function, report::RowLaunch launch, const at::Tensor& x,
                 const RowsToLaunch& over, const void* problem);

at::Tensor norm_on_cuda(bool centred, const at::Tensor& x, const at::Tensor& weight,
                        const at::Tensor& bias, double epsilon);
at::Tensor softmax_on_cuda(const at::Tensor& x);
at::Tensor weighted_sum_on_cuda(const at::Tensor& x, const at::Tensor& weight);
// columns: of a chunk of the classes; 0: by the sizes.
at::Tensor cross_entropy_on_cuda(const at::Tensor& x, const at::Tensor& weight,
                                 const at::Tensor& targets, std::int64_t columns = 0);

}  // namespace ts::kernels
