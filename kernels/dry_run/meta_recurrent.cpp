// A layer of an LSTM in one direction, which oneDNN computes as a whole on cpu: on cuda it is never
// called. (ATen/native/mkldnn/RNN.cpp and ideep's operators/lstm.hpp of PyTorch 2.11.)
#include <ATen/core/Tensor.h>
#include <ATen/core/grad_mode.h>
#include <ATen/ops/add.h>
#include <ATen/ops/empty.h>
#include <ATen/ops/zeros.h>
#include <ATen/ops/zeros_like.h>
#include <c10/util/Exception.h>
#include <torch/library.h>

#include <tuple>
#include <utility>
#include <vector>

#include "kernels/dry_run/lstm_blocks.h"
#include "kernels/dry_run/meta_kernels.h"
#include "kernels/dry_run/recurrent.h"

namespace ts::kernels {
namespace {

using at::Tensor;
using OptionalTensor = std::optional<Tensor>;

constexpr std::int64_t kGates = 4;

LstmBlocks blocks_of(const Tensor& input, std::int64_t hidden, bool reverse, bool trains) {
  const auto found = lstm_blocks({.tokens = input.size(0),
                                  .batch = input.size(1),
                                  .input = input.size(2),
                                  .hidden = hidden,
                                  .reverse = reverse,
                                  .trains = trains,
                                  .type = input.scalar_type()});
  TORCH_CHECK_NOT_IMPLEMENTED(found, "the blocks of this layer are unknown");
  return *found;
}

Tensor block(std::int64_t bytes, const Tensor& like) {
  return bytes > 0 ? at::empty({bytes}, like.options().dtype(at::kByte)) : Tensor();
}

Tensor sum_of_biases(const Tensor& one, const Tensor& other, bool has, std::int64_t hidden,
                     const Tensor& like) {
  return has ? at::add(one, other) : at::zeros({kGates * hidden}, like.options());
}

std::tuple<Tensor, Tensor, Tensor, Tensor> rnn_layer(
    const Tensor& input, const Tensor& input_weight, const Tensor& /*state_weight*/,
    const Tensor& input_bias, const Tensor& state_bias, const Tensor& hidden_state,
    const Tensor& cell_state, bool reverse, at::IntArrayRef /*batch_sizes*/, std::int64_t /*mode*/,
    std::int64_t hidden, std::int64_t /*layers*/, bool biases, bool /*bidirectional*/,
    bool /*batch_first*/, bool /*train*/) {
  const bool trains = at::GradMode::is_enabled();
  const LstmBlocks blocks = blocks_of(input, hidden, reverse, trains);
  Tensor output = at::empty({input.size(0), input.size(1), hidden}, input.options());
  Tensor last = at::empty(hidden_state.sizes(), hidden_state.options());
  Tensor last_cell = at::empty(cell_state.sizes(), cell_state.options());
  const Tensor bias = sum_of_biases(input_bias, state_bias, biases, hidden, input_weight);
  Tensor workspace = trains ? block(blocks.workspace, input) : Tensor();
  {
    const Tensor of_input = block(blocks.forward.input_weight, input);
    const Tensor of_state = block(blocks.forward.state_weight, input);
    const Tensor scratch = block(blocks.forward.scratch, input);
  }
  return {std::move(output), std::move(last), std::move(last_cell), std::move(workspace)};
}

// A gradient that is not given counts as zeros.
Tensor gradient_or_zeros(const OptionalTensor& gradient, const Tensor& of) {
  const bool given = gradient && gradient->defined();
  return given ? gradient->contiguous() : at::zeros_like(of, at::MemoryFormat::Contiguous);
}

std::tuple<Tensor, Tensor, Tensor, Tensor, Tensor, Tensor, Tensor> rnn_layer_backward(
    const Tensor& input, const Tensor& input_weight, const Tensor& state_weight,
    const Tensor& input_bias, const Tensor& state_bias, const Tensor& hidden_state,
    const Tensor& cell_state, const Tensor& output, const Tensor& /*last*/,
    const Tensor& /*last_cell*/, const OptionalTensor& to_output, const OptionalTensor& to_last,
    const OptionalTensor& to_last_cell, bool reverse, std::int64_t /*mode*/, std::int64_t hidden,
    std::int64_t /*layers*/, bool biases, bool /*train*/, bool /*bidirectional*/,
    at::IntArrayRef /*batch_sizes*/, bool /*batch_first*/, const Tensor& /*workspace*/) {
  const LstmBlocks blocks = blocks_of(input, hidden, reverse, true);
  const Tensor of_output = gradient_or_zeros(to_output, output);
  const Tensor of_last = gradient_or_zeros(to_last, hidden_state);
  const Tensor of_last_cell = gradient_or_zeros(to_last_cell, cell_state);
  const Tensor bias = sum_of_biases(input_bias, state_bias, biases, hidden, input_weight);
  const auto like = [](const Tensor& of) { return at::empty(of.sizes(), of.options()); };
  Tensor to_input = like(input), to_hidden = like(hidden_state), to_cell = like(cell_state);
  Tensor to_input_weight = like(input_weight), to_state_weight = like(state_weight);
  Tensor to_bias = like(bias);
  {
    const Tensor of_input = block(blocks.backward.input_weight, input);
    const Tensor of_state = block(blocks.backward.state_weight, input);
    const Tensor own_input = block(blocks.to_input_weight, input);
    const Tensor own_state = block(blocks.to_state_weight, input);
    const Tensor own_bias = block(blocks.to_bias, input);
    const Tensor scratch = block(blocks.backward.scratch, input);
  }
  Tensor to_other_bias = to_bias.clone();
  return {std::move(to_input), std::move(to_input_weight), std::move(to_state_weight),
          std::move(to_bias),  std::move(to_other_bias),   std::move(to_hidden),
          std::move(to_cell)};
}

// Layers as a program in Python calls them; a .pt2 names them. LibTorch's own are made of operators
// that no device runs.
std::vector<c10::IValue> arguments_of(const Tensor& input, c10::IValue states,
                                      at::TensorList params, bool biases, std::int64_t layers,
                                      double dropout, bool train, bool both, bool batch_first) {
  return {input, std::move(states), params.vec(), biases, layers, dropout, train,
          both,  batch_first};
}

template <const char* kTarget>
std::tuple<Tensor, Tensor> stepwise(const Tensor& input, const Tensor& hidden,
                                    at::TensorList params, bool biases, std::int64_t layers,
                                    double dropout, bool train, bool both, bool batch_first) {
  const auto made = recurrent_without_data(
      kTarget,
      arguments_of(input, hidden, params, biases, layers, dropout, train, both, batch_first));
  return {made.at(0).toTensor(), made.at(1).toTensor()};
}

std::tuple<Tensor, Tensor, Tensor> lstm(const Tensor& input, at::TensorList hidden,
                                        at::TensorList params, bool biases, std::int64_t layers,
                                        double dropout, bool train, bool both, bool batch_first) {
  const auto made = recurrent_without_data(
      kLstm,
      arguments_of(input, hidden.vec(), params, biases, layers, dropout, train, both, batch_first));
  return {made.at(0).toTensor(), made.at(1).toTensor(), made.at(2).toTensor()};
}

// They are made of other operators, which have a gradient each.
void register_layers(torch::Library& library) {
  library.impl("lstm.input", lstm);
  library.impl("gru.input", stepwise<kGru>);
  library.impl("rnn_tanh.input", stepwise<kTanh>);
  library.impl("rnn_relu.input", stepwise<kRelu>);
}

}  // namespace

void register_meta_recurrent(torch::Library& library) {
  register_layers(library);
  register_layers(autograd_meta_library());
  library.impl("mkldnn_rnn_layer", rnn_layer);
  library.impl("mkldnn_rnn_layer_backward", rnn_layer_backward);
}

}  // namespace ts::kernels
