#pragma once

#include <ATen/core/ivalue.h>

#include <string_view>
#include <vector>

namespace ts::kernels {

// Arithmetic of Python and sympy that an exported graph does on sizes: "_operator.mul",
// "torch.sym_max", "torch.ops.aten.sym_size.int".
bool is_number_operator(std::string_view target);

// The result for these operands, a number or a truth value. Throws BadInput for operands that it
// cannot take and for a division by zero.
c10::IValue number_result(std::string_view target, const std::vector<c10::IValue>& operands);

}  // namespace ts::kernels
