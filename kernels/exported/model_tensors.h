#pragma once

#include <ATen/core/Tensor.h>
#include <ATen/core/ivalue.h>

#include <vector>

#include "core/exported/model_file.h"
#include "core/spec/workload_spec.h"
#include "kernels/layers/builder.h"

namespace ts::kernels {

// LibTorch's type of an element type; throws BadInput for one that it has not.
at::ScalarType scalar_type_of(exported::ElementType type);

// The tensors that a model starts from, by the order of its inputs; those of the user's inputs are
// undefined. Weights, buffers and constants are the file's, else initialised: matrices normal with
// deviation 0.02, vectors named weight ones, the rest zeros. Tied weights are one tensor. What has
// the type of most parameters gets the spec's.
std::vector<at::Tensor> make_model_tensors(Builder& builder, const spec::WorkloadSpec& spec,
                                           const exported::ModelFile& model);

// The user's inputs for these sizes, by the order of the model's inputs, others undefined: real
// numbers are normal, whole ones random below what they look up, ones where they look up nothing.
std::vector<c10::IValue> make_user_inputs(Builder& builder, const spec::WorkloadSpec& spec,
                                          const exported::ModelFile& model);

}  // namespace ts::kernels
