#pragma once

#include <ATen/core/ivalue.h>

#include <string_view>
#include <vector>

namespace ts::kernels {

// Their names in an exported program.
inline constexpr char kGru[] = "torch.ops.aten.gru.input";
inline constexpr char kTanh[] = "torch.ops.aten.rnn_tanh.input";
inline constexpr char kRelu[] = "torch.ops.aten.rnn_relu.input";
inline constexpr char kLstm[] = "torch.ops.aten.lstm.input";

// Whether an exported operator is a recurrent layer: GRU, LSTM, or one with tanh or ReLU.
bool is_recurrent(std::string_view target);

// The layer on tensors without data, by the operators that LibTorch runs on cpu: the products with
// the inputs of all tokens at once, those with the hidden state token by token; of an LSTM the
// operator by which oneDNN computes a whole layer. `arguments` are the operator's, in order. The
// result: the outputs and the last states. Throws c10::NotImplementedError by the rules of cuda,
// where cuDNN computes the whole layer with a workspace of its own.
std::vector<c10::IValue> recurrent_without_data(std::string_view target,
                                                const std::vector<c10::IValue>& arguments);

}  // namespace ts::kernels
