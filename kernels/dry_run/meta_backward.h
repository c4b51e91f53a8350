#pragma once

#include <ATen/core/Tensor.h>

namespace ts::kernels {

// What loss.backward() does on the thread of a dry run, with the same operators in the same order:
// nodes by falling sequence number, gradients of one tensor summed as they come, what a node saved
// let go of behind it (torch/csrc/autograd/engine.h). LibTorch's engine can be handed work by other
// threads and devices, so it puts the whole state of the thread in place before every node, which
// took a quarter of a dry run. Here is one thread, whose state stays. No hooks: nobody here sets
// any. `loss` is one number on meta; a DryRecording is open. What a node throws passes through.
void backward_of_meta(const at::Tensor& loss);

}  // namespace ts::kernels
