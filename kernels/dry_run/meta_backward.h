#pragma once

#include <ATen/core/Tensor.h>

namespace ts::kernels {

// Runs loss.backward() on the thread of a dry run, with the same operators in the same order: nodes
// by falling sequence number, gradients of one tensor summed as they come, saved tensors of a node
// freed after it ran (torch/csrc/autograd/engine.h). LibTorch's engine can get work from other
// threads and devices, so it sets the whole state of the thread before every node, which took a
// quarter of a dry run. Here there is one thread, whose state stays. Hooks are not supported:
// nothing here sets any. `loss` is one number on meta; a DryRecording is open. Throws BadInput that
// names a node without a form for meta tensors; other exceptions of a node pass through.
// With keep_graph saved tensors stay.
void backward_of_meta(const at::Tensor& loss, bool keep_graph);
// The same from an output with a gradient of its size, which LibTorch takes as it is.
void backward_of_meta(const at::Tensor& output, const at::Tensor& gradient);

}  // namespace ts::kernels
