#pragma once

#include <ATen/core/Generator.h>
#include <ATen/core/Tensor.h>

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "core/predict/share.h"

namespace ts::kernels {

struct Parameter {
  std::string name;  // "blocks.0.attn.q_proj.weight"
  at::Tensor tensor;
};
// The rows of a batch that one rank of several computes: the rank's own of as many parts as there
// are ranks.
struct RowShare {
  std::int64_t rank = 0;
  std::int64_t ranks = 1;
};
// The path of the module that has the parameter: "blocks.0.attn.q_proj"; empty for the outermost.
std::string module_of(const std::string& parameter);

// Makes the initial tensors of a workload, all from one generator in the order of the calls: the
// same seed gives the same values on the same kind of device. Values are drawn in fp32 and rounded,
// so bf16 parameters are the fp32 ones rounded. Checks for cancellation between pieces. A rank
// draws the inputs of all ranks, outside of the counted memory, and keeps its own rows: together
// they have what one process would have with the whole batch.
class Builder {
 public:
  // `part`: of a rank. Where it shards parameters, they have no memory here, as with "meta" and
  // to_empty (kernels/share/fully_shard.h): a rank that runs draws each of them outside of the
  // counted memory and keeps its part.
  Builder(at::Device device, at::ScalarType dtype, std::uint64_t seed, RowShare share = {},
          const predict::Share& part = {});
  // The same numbers as a builder of the type `rounded` makes, in fp64.
  static Builder in_fp64(at::Device device, at::ScalarType rounded, std::uint64_t seed);

  // Parameters, of the workload's dtype.
  // Normal with deviation `std`, cut off at 3 deviations (drawn through the inverse of the
  // distribution function, as torch.nn.init.trunc_normal_ does).
  at::Tensor truncated_normal(std::string name, at::IntArrayRef sizes, double std);
  // Matrices of `columns` columns one below the other in one parameter, each with the values it
  // would have as a parameter of its own.
  struct Rows {
    std::int64_t count = 0;
    double std = 1;
  };
  at::Tensor truncated_normal(std::string name, std::span<const Rows> matrices,
                              std::int64_t columns);
  at::Tensor constant(std::string name, at::IntArrayRef sizes, double value);

  // Registers a tensor made elsewhere as parameter.
  at::Tensor keep_parameter(std::string name, at::Tensor tensor);

  // From now on parameters are frozen: they get no gradient, and nothing updates them. False: they
  // are trained again.
  void freeze(bool frozen = true) { frozen_ = frozen; }
  [[nodiscard]] bool frozen() const { return frozen_; }
  // Numbers for an adapter: at least fp32, uniform from -bound to bound, of a generator of their
  // own, so that the other parameters are those of the model without adapters. Not a parameter yet.
  at::Tensor uniform_adapter(at::IntArrayRef sizes, double bound);
  // Registers a tensor as parameter that is trained, whatever is frozen.
  at::Tensor keep_trained(std::string name, at::Tensor tensor);

  // Inputs.
  at::Tensor normal_input(at::IntArrayRef sizes, bool requires_grad);
  at::Tensor token_input(at::IntArrayRef sizes, std::int64_t vocab);  // int64 in [0, vocab)
  // Registers a tensor made elsewhere (a mask, a table) as input.
  at::Tensor keep_input(at::Tensor tensor);

  // A generator of its own, seeded as this one was; undefined for tensors without data.
  [[nodiscard]] at::Generator fork_generator() const;
  [[nodiscard]] RowShare share() const { return share_; }
  [[nodiscard]] const predict::Share& part() const { return part_; }
  [[nodiscard]] at::TensorOptions options() const;  // device and dtype of the workload
  [[nodiscard]] const std::vector<Parameter>& parameters() const { return parameters_; }
  // The rank's parts of the parameters, in their order; empty in a dry run, and without shards.
  [[nodiscard]] const std::vector<at::Tensor>& parts() const { return parts_; }
  [[nodiscard]] const std::vector<at::Tensor>& inputs() const { return inputs_; }

 private:
  class WithoutMemory;
  at::Tensor register_parameter(std::string name, at::Tensor tensor);
  void draw_truncated(const at::Tensor& tensor, double std) const;
  at::Tensor drawn_rows(at::IntArrayRef sizes, const at::TensorOptions& options,
                        const std::function<void(const at::Tensor&)>& draw) const;

  at::Device device_;
  at::ScalarType dtype_;
  at::ScalarType rounded_;  // the type to which drawn numbers are rounded, which dtype_ can hold
  std::uint64_t seed_;
  RowShare share_;
  predict::Share part_;
  bool frozen_ = false;
  at::Generator generator_;
  at::Generator adapter_generator_;
  std::vector<Parameter> parameters_;
  std::vector<at::Tensor> parts_;
  std::vector<at::Tensor> inputs_;
};

}  // namespace ts::kernels
