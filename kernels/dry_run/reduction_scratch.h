#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>

namespace ts::kernels {

// A sum, mean, norm or extreme on cuda divides long columns among blocks, which meet in a buffer
// with a counter for each group of outputs; both are let go of when the kernel has started. Asks
// the dry run's allocator for them, where the thread's dry run is for cuda and the reduction is
// divided.
//
// `self` is reduced over `dims` (none: all of them); `accumulator` is the size in bytes of the
// number in which the kernel adds up, `result` the size of that which it writes, `inputs_at_once`
// how many numbers of a row a thread loads together.
// (ATen/native/cuda/Reduce.cuh of PyTorch 2.11: setReduceConfig, gpu_reduce_kernel.) Depends on the
// card's number of multiprocessors.
void take_reduction_scratch(const at::Tensor& self, at::OptionalIntArrayRef dims,
                            std::int64_t accumulator, std::int64_t result,
                            std::int64_t inputs_at_once = 4);

}  // namespace ts::kernels
