#pragma once

#include <cstdint>

#include "core/base/string_table.h"

namespace ts::kernels {

class ProcessRecorder;

// How a parameter's gradient was found.
enum class Gradient : std::uint8_t {
  none,
  seen,   // the recorder knows its block, if it has one that is recorded
  asked,  // it has no memory of its own, as torch.func wraps tensors: Python asks what is in it
};

// Notes in the recorder that the gradient of the parameter at this address (of its
// c10::TensorImpl, Tensor._cdata in Python) belongs to `name`. on_cuda: looks for a gradient on a
// card instead of one on the CPU.
Gradient record_gradient(ProcessRecorder& recorder, std::uint64_t parameter, base::StringId name,
                         bool on_cuda);

}  // namespace ts::kernels
