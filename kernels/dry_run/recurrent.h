#pragma once

#include <ATen/core/ivalue.h>

#include <string_view>
#include <vector>

namespace ts::kernels {

// Whether an exported operator is a recurrent layer: GRU, LSTM, or one with tanh or ReLU.
bool is_recurrent(std::string_view target);

// The layer on tensors without data, by the operators that LibTorch runs on cpu: the products with
// the inputs of all tokens at once, those with the hidden state token by token. `arguments` are the
// operator's, in order. The result: the outputs and the last states. Throws
// c10::NotImplementedError for LSTM and by the rules of cuda, where oneDNN and cuDNN compute the
// whole layer with workspaces of their own.
std::vector<c10::IValue> recurrent_without_data(std::string_view target,
                                                const std::vector<c10::IValue>& arguments);

}  // namespace ts::kernels
