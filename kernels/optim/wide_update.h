#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <string>
#include <vector>

#include "core/spec/workload_spec.h"
#include "kernels/observe/module_scope.h"

namespace ts::kernels {

// A tensor that is trained, and the path of its module, which its update carries.
struct TrainedTensor {
  at::Tensor tensor;
  std::string module;
};

// Updates of 16-bit parameters in fp32, as trainers in mixed precision do them (Micikevicius et al.
// 2018). Gradient and, without master weights, parameter are copied to fp32; the updated numbers
// are rounded back into the parameter. Where the state is of the parameters' type nothing is
// copied. Worker thread, without autograd.
class WideUpdate {
 public:
  // Makes the master weights: fp32 copies of all parameters.
  WideUpdate(std::vector<TrainedTensor> trained, spec::OptimizerState state);

  // Whether there are copies at all.
  [[nodiscard]] bool wide() const { return wide_; }
  [[nodiscard]] const std::vector<at::Tensor>& parameters() const { return parameters_; }
  // Memory allocated while it lives belongs to the module of a parameter.
  [[nodiscard]] PlaceScope place(std::size_t i) const { return PlaceScope(places_[i]); }
  // Zeros with the shape of a parameter, of the type of the state, in its place.
  [[nodiscard]] at::Tensor moment(std::size_t i) const;
  // Empty without master weights.
  [[nodiscard]] const std::vector<at::Tensor>& masters() const { return masters_; }

  // A part of a parameter and its gradient, both as the formula takes them.
  struct Part {
    at::Tensor parameter;
    at::Tensor gradient;
  };
  // All of a parameter that has a gradient.
  [[nodiscard]] Part whole(std::size_t i) const;
  // `count` numbers from `begin` on, in one dimension.
  [[nodiscard]] Part piece(std::size_t i, std::int64_t begin, std::int64_t count) const;
  // Rounds the updated part back. Does nothing where it is the parameter itself.
  void put_back(std::size_t i, const Part& part) const;
  void put_back(std::size_t i, const Part& part, std::int64_t begin, std::int64_t count) const;

 private:
  std::vector<at::Tensor> parameters_;
  std::vector<std::string> places_;  // by parameter
  std::vector<at::Tensor> masters_;
  bool wide_ = false;
};

}  // namespace ts::kernels
