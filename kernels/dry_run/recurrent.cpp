#include "kernels/dry_run/recurrent.h"

#include <ATen/core/Tensor.h>
#include <ATen/ops/cat.h>
#include <ATen/ops/dropout.h>
#include <ATen/ops/linear.h>
#include <ATen/ops/mkldnn_rnn_layer.h>
#include <ATen/ops/stack.h>
#include <ATen/ops/zeros.h>
#include <c10/util/Exception.h>

#include <algorithm>
#include <utility>

#include "kernels/observe/dry_recording.h"

// (ATen/native/RNN.cpp of PyTorch 2.11: FullLayer, GRUCell, SimpleCell; mkldnn/RNN.cpp:
// mkldnn_rnn.)
namespace ts::kernels {
namespace {

using at::Tensor;

bool is_stepwise(std::string_view target) {
  return target == kGru || target == kTanh || target == kRelu;
}

struct Weights {
  Tensor of_input, of_state, input_bias, state_bias;
};

Tensor gru_cell(const Tensor& inputs, const Tensor& hidden, const Weights& weights) {
  const std::vector<Tensor> given = inputs.unsafe_chunk(3, 1);
  std::vector<Tensor> gates =
      at::linear(hidden, weights.of_state, weights.state_bias).unsafe_chunk(3, 1);
  const Tensor reset = gates[0].add_(given[0]).sigmoid_();
  const Tensor update = gates[1].add_(given[1]).sigmoid_();
  const Tensor proposed = given[2].add(gates[2].mul_(reset)).tanh_();
  return hidden.sub(proposed).mul_(update).add_(proposed);
}

Tensor simple_cell(const Tensor& inputs, const Tensor& hidden, const Weights& weights, bool tanh) {
  Tensor sum = at::linear(hidden, weights.of_state, weights.state_bias).add_(inputs);
  return tanh ? sum.tanh() : sum.relu();
}

class Layers {
 public:
  // input, state, parameters, biases, layers, dropout, training, both directions, batch first
  Layers(std::string_view target, const std::vector<c10::IValue>& arguments)
      : target_(target),
        input_(arguments.at(0).toTensor()),
        states_(arguments.at(1).toTensor().unbind(0)),
        dropout_(arguments.at(6).toBool() ? arguments.at(5).toDouble() : 0),
        directions_(arguments.at(7).toBool() ? 2 : 1),
        batch_first_(arguments.at(8).toBool()) {
    const std::vector<Tensor> all = arguments.at(2).toTensorVector();
    const bool biases = arguments.at(3).toBool();
    const auto layers = static_cast<std::size_t>(arguments.at(4).toInt());
    const std::size_t step = biases ? 4 : 2;
    for (std::size_t i = 0; i < layers * directions_; ++i) {
      Weights& weights = weights_.emplace_back();
      weights.of_input = all.at(i * step);
      weights.of_state = all.at(i * step + 1);
      if (!biases) continue;
      weights.input_bias = all.at(i * step + 2);
      weights.state_bias = all.at(i * step + 3);
    }
  }

  std::vector<c10::IValue> run() {
    Tensor values = batch_first_ ? input_.transpose(0, 1) : input_;
    std::vector<Tensor> last;
    for (std::size_t i = 0; i < weights_.size(); i += directions_) {
      values = directions_ == 1 ? layer(values, i, last) : both_ways(values, i, last);
      const bool more = i + directions_ < weights_.size();
      if (dropout_ > 0 && more) values = at::dropout(values, dropout_, true);
    }
    Tensor ends = at::stack(last, 0);
    if (batch_first_) values.transpose_(0, 1);
    return {std::move(values), std::move(ends)};
  }

 private:
  // The products of layer `index` with all its inputs, token by token.
  [[nodiscard]] std::vector<Tensor> inputs(const Tensor& values, std::size_t index) const {
    const Weights& weights = weights_[index];
    return at::linear(values, weights.of_input, weights.input_bias).unbind(0);
  }
  [[nodiscard]] std::vector<Tensor> outputs(const std::vector<Tensor>& inputs,
                                            std::size_t index) const {
    Tensor hidden = states_.at(index);
    std::vector<Tensor> made;
    for (const Tensor& one : inputs) {
      hidden = target_ == kGru ? gru_cell(one, hidden, weights_[index])
                               : simple_cell(one, hidden, weights_[index], target_ == kTanh);
      made.push_back(hidden);
    }
    return made;
  }
  [[nodiscard]] Tensor layer(const Tensor& values, std::size_t index,
                             std::vector<Tensor>& last) const {
    const std::vector<Tensor> given = inputs(values, index);
    const std::vector<Tensor> made = outputs(given, index);
    last.push_back(made.back());
    return at::stack(made, 0);
  }
  // Results of the first direction live until the second is done.
  [[nodiscard]] Tensor both_ways(const Tensor& values, std::size_t index,
                                 std::vector<Tensor>& last) const {
    std::vector<Tensor> given = inputs(values, index);
    const std::vector<Tensor> forth = outputs(given, index);
    const Tensor all_forth = at::stack(forth, 0);
    given = inputs(values, index + 1);
    std::ranges::reverse(given);
    std::vector<Tensor> back = outputs(given, index + 1);
    last.push_back(forth.back());
    last.push_back(back.back());
    std::ranges::reverse(back);
    return at::cat({all_forth, at::stack(back, 0)}, all_forth.dim() - 1);
  }

  std::string_view target_;
  Tensor input_;
  std::vector<Tensor> states_;
  std::vector<Weights> weights_;
  double dropout_;
  std::size_t directions_;  // of each layer
  bool batch_first_;
};

// input, states, parameters, biases, layers, dropout, training, both directions, batch first. The
// result: the outputs, the last states and the last cells.
std::vector<c10::IValue> lstm(const std::vector<c10::IValue>& arguments) {
  constexpr std::int64_t kMode = 2;  // oneDNN's number of an LSTM
  const bool biases = arguments.at(3).toBool(), train = arguments.at(6).toBool();
  const bool both = arguments.at(7).toBool(), batch_first = arguments.at(8).toBool();
  const auto layers = static_cast<std::size_t>(arguments.at(4).toInt());
  const double dropout = train ? arguments.at(5).toDouble() : 0;
  const std::vector<Tensor> all = arguments.at(2).toTensorVector();
  const std::vector<Tensor> states = arguments.at(1).toTensorVector();
  const std::size_t directions = both ? 2 : 1, step = biases ? 4 : 2;
  TORCH_CHECK_NOT_IMPLEMENTED(all.size() == layers * directions * step, "projected states");

  Tensor input = arguments.at(0).toTensor();
  if (batch_first) input = input.transpose(0, 1);
  input = input.contiguous();
  const Tensor hidden = states.at(0).contiguous(), cells = states.at(1).contiguous();
  const std::int64_t width = hidden.size(2);
  Tensor values = input;
  std::vector<Tensor> outputs(directions), last(layers * directions), last_cell(last.size());
  for (std::size_t layer = 0; layer < layers; ++layer) {
    for (std::size_t direction = 0; direction < directions; ++direction) {
      const std::size_t index = layer * directions + direction;
      const Tensor* const weights = &all.at(index * step);
      const auto row = static_cast<std::int64_t>(index);
      Tensor state_bias = biases ? weights[3] : at::zeros(weights[1].sizes(), weights[1].options());
      Tensor input_bias = biases ? weights[2] : at::zeros(weights[0].sizes(), weights[0].options());
      const auto made =
          at::mkldnn_rnn_layer(values, weights[0], weights[1], input_bias, state_bias, hidden[row],
                               cells[row], direction > 0, {}, kMode, width,
                               static_cast<std::int64_t>(layers), biases, both, batch_first, train);
      outputs[direction] = std::get<0>(made);
      last[index] = std::get<1>(made);
      last_cell[index] = std::get<2>(made);
    }
    values = both ? at::cat(outputs, -1) : outputs[0];
    if (dropout > 0 && layer + 1 < layers) values = at::dropout(values, dropout, true);
  }
  Tensor ends = at::stack(last, 0), end_cells = at::stack(last_cell, 0);
  if (batch_first) values = values.transpose(0, 1);
  return {std::move(values), std::move(ends), std::move(end_cells)};
}

}  // namespace

bool is_recurrent(std::string_view target) {
  return is_stepwise(target) || target.starts_with("torch.ops.aten.lstm.");
}

std::vector<c10::IValue> recurrent_without_data(std::string_view target,
                                                const std::vector<c10::IValue>& arguments) {
  const bool known = is_stepwise(target) || target == kLstm;
  TORCH_CHECK_NOT_IMPLEMENTED(known && !DryRecording::follows_cuda(),
                              "computed with a workspace of the library");
  if (target == kLstm) return lstm(arguments);
  return Layers(target, arguments).run();
}

}  // namespace ts::kernels
