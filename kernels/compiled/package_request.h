#pragma once

#include <ATen/core/Tensor.h>

#include <string>
#include <vector>

#include "core/spec/workload_spec.h"
#include "kernels/layers/builder.h"

namespace ts::kernels {

// The inputs of a compiled step, in the order of a package's inputs: the parameters, then the
// inputs of the workload; of tokens and targets the rows of one micro-batch. The tensors share
// their memory with the workload's.
std::vector<at::Tensor> step_tensors(const Builder& builder, const spec::WorkloadSpec& spec,
                                     std::int64_t micro_batch);

// The inputs of a package, and the text that identifies it: the part of the specification that
// shapes the step, all tensors, this processor, the number of threads, LibTorch's version and the
// recipe. A package is a cache of one machine: its code is for this very processor, and the loading
// code checks neither that nor shapes.
struct PackageRequest {
  std::string key;
  std::string json;     // make_package.py's, without the paths
  bool trains = false;  // forward and backward, else the forward alone without a graph
};

PackageRequest make_request(const spec::WorkloadSpec& spec, const Builder& builder);

}  // namespace ts::kernels
