#include "kernels/exported/number_operators.h"

#include <ATen/core/Tensor.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <string>

#include "core/text/message.h"
#include "kernels/observe/failure.h"

namespace ts::kernels {
namespace {

using c10::IValue;
using Operands = std::vector<IValue>;

[[noreturn]] void refuse(std::string_view target) {
  throw BadInput(text::message("model_error.number", {{"name", std::string(target)}}));
}

std::string_view short_name(std::string_view target) {
  constexpr std::array kPrefixes = {"_operator.", "math.", "builtins.", "torch.ops.aten.",
                                    "torch."};
  for (const std::string_view prefix : kPrefixes) {
    if (target.starts_with(prefix)) return target.substr(prefix.size());
  }
  return {};
}

constexpr std::array<std::string_view, 44> kNames = {"add",
                                                     "sub",
                                                     "mul",
                                                     "floordiv",
                                                     "mod",
                                                     "pow",
                                                     "neg",
                                                     "truediv",
                                                     "eq",
                                                     "ne",
                                                     "lt",
                                                     "le",
                                                     "gt",
                                                     "ge",
                                                     "and_",
                                                     "or_",
                                                     "not_",
                                                     "sym_max",
                                                     "sym_min",
                                                     "sym_not",
                                                     "sym_int",
                                                     "sym_float",
                                                     "sym_sum",
                                                     "sym_ite",
                                                     "_sym_sqrt",
                                                     "sqrt",
                                                     "trunc",
                                                     "ceil",
                                                     "floor",
                                                     "max",
                                                     "min",
                                                     "int",
                                                     "float",
                                                     "round",
                                                     "sym_size.int",
                                                     "sym_stride.int",
                                                     "sym_numel",
                                                     "sym_storage_offset",
                                                     "sym_numel.default",
                                                     "sym_storage_offset.default",
                                                     "abs",
                                                     "pos",
                                                     "sym_sqrt",
                                                     "sym_fresh_size"};

bool real(const IValue& value) {
  return value.isDouble();
}
double as_real(const IValue& value) {
  if (value.isDouble()) return value.toDouble();
  return value.isBool() ? (value.toBool() ? 1 : 0) : static_cast<double>(value.toInt());
}
std::int64_t as_int(const IValue& value) {
  if (value.isDouble()) return static_cast<std::int64_t>(value.toDouble());
  return value.isBool() ? (value.toBool() ? 1 : 0) : value.toInt();
}
bool as_truth(const IValue& value) {
  return value.isBool() ? value.toBool() : as_real(value) != 0;
}

std::int64_t floor_divide(std::int64_t a, std::int64_t b) {
  const std::int64_t quotient = a / b;
  return a % b != 0 && (a < 0) != (b < 0) ? quotient - 1 : quotient;
}

// Python's rules: whole numbers stay whole, a division of them is real.
IValue arithmetic(std::string_view target, std::string_view name, const IValue& a,
                  const IValue& b) {
  if (name == "truediv") {
    if (as_real(b) == 0) refuse(target);
    return as_real(a) / as_real(b);
  }
  if (real(a) || real(b) || (name == "pow" && as_int(b) < 0)) {
    const double x = as_real(a), y = as_real(b);
    if (name == "add") return x + y;
    if (name == "sub") return x - y;
    if (name == "mul") return x * y;
    if (name == "pow") return std::pow(x, y);
    if (y == 0) refuse(target);
    const double quotient = std::floor(x / y);
    return name == "floordiv" ? quotient : x - quotient * y;
  }
  const std::int64_t x = as_int(a), y = as_int(b);
  std::int64_t result = 0;
  bool overflow = false;
  if (name == "add") overflow = __builtin_add_overflow(x, y, &result);
  if (name == "sub") overflow = __builtin_sub_overflow(x, y, &result);
  if (name == "mul") overflow = __builtin_mul_overflow(x, y, &result);
  if (name == "pow") {
    result = 1;
    for (std::int64_t i = 0; i < y && !overflow && i < 64; ++i) {
      overflow = __builtin_mul_overflow(result, x, &result);
    }
  }
  if (name == "floordiv" || name == "mod") {
    if (y == 0 || (y == -1 && x == INT64_MIN)) refuse(target);
    const std::int64_t quotient = floor_divide(x, y);
    result = name == "floordiv" ? quotient : x - quotient * y;
  }
  if (overflow) refuse(target);
  return result;
}

bool compare(std::string_view name, double a, double b) {
  if (name == "eq") return a == b;
  if (name == "ne") return a != b;
  if (name == "lt") return a < b;
  if (name == "le") return a <= b;
  return name == "gt" ? a > b : a >= b;
}

IValue of_tensor(std::string_view target, std::string_view name, const Operands& operands) {
  const at::Tensor& tensor = operands[0].toTensor();
  if (name.starts_with("sym_numel")) return tensor.numel();
  if (name.starts_with("sym_storage_offset")) return tensor.storage_offset();
  if (operands.size() < 2) refuse(target);
  const std::int64_t dim = as_int(operands[1]);
  return name == "sym_size.int" ? tensor.size(dim) : tensor.stride(dim);
}

IValue of_one(std::string_view target, std::string_view name, const IValue& a) {
  if (name == "neg") return real(a) ? IValue(-a.toDouble()) : IValue(-as_int(a));
  if (name == "pos") return a;
  if (name == "abs") return real(a) ? IValue(std::abs(a.toDouble())) : IValue(std::abs(as_int(a)));
  if (name == "not_" || name == "sym_not") return !as_truth(a);
  if (name == "sym_int" || name == "int" || name == "trunc") return as_int(a);
  if (name == "sym_float" || name == "float") return as_real(a);
  if (name == "ceil") return static_cast<std::int64_t>(std::ceil(as_real(a)));
  if (name == "floor") return static_cast<std::int64_t>(std::floor(as_real(a)));
  if (name == "round") return static_cast<std::int64_t>(std::nearbyint(as_real(a)));
  if (name == "sqrt" || name.ends_with("sym_sqrt")) return std::sqrt(as_real(a));
  refuse(target);
}

}  // namespace

bool is_number_operator(std::string_view target) {
  const std::string_view name = short_name(target);
  if (name.empty()) return false;
  // aten has operators of these names for tensors.
  if (target.starts_with("torch.ops.") && !name.starts_with("sym_")) return false;
  return std::find(kNames.begin(), kNames.end(), name) != kNames.end();
}

IValue number_result(std::string_view target, const Operands& operands) {
  const std::string_view name = short_name(target);
  if (name == "sym_sum") {
    std::int64_t sum = 0;
    for (const std::int64_t one : operands.at(0).toIntVector()) sum += one;
    return sum;
  }
  if (operands.empty()) refuse(target);
  if (operands[0].isTensor()) return of_tensor(target, name, operands);
  for (const IValue& operand : operands) {
    if (!operand.isInt() && !operand.isDouble() && !operand.isBool()) refuse(target);
  }
  if (name == "sym_ite" && operands.size() == 3) return operands[as_truth(operands[0]) ? 1 : 2];
  if (operands.size() == 1) return of_one(target, name, operands[0]);
  const IValue &a = operands[0], &b = operands[1];
  if (name == "and_") return as_truth(a) && as_truth(b);
  if (name == "or_") return as_truth(a) || as_truth(b);
  if (name == "sym_max" || name == "max") return as_real(a) < as_real(b) ? b : a;
  if (name == "sym_min" || name == "min") return as_real(b) < as_real(a) ? b : a;
  constexpr std::array kCompared = {"eq", "ne", "lt", "le", "gt", "ge"};
  if (std::find(kCompared.begin(), kCompared.end(), name) != kCompared.end()) {
    return compare(name, as_real(a), as_real(b));
  }
  constexpr std::array kComputed = {"add", "sub", "mul", "floordiv", "mod", "pow", "truediv"};
  if (std::find(kComputed.begin(), kComputed.end(), name) == kComputed.end()) refuse(target);
  return arithmetic(target, name, a, b);
}

}  // namespace ts::kernels
