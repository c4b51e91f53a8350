#include "core/trace/slice.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <optional>
#include <string>

#include "core/base/letters.h"

namespace ts::trace {
namespace {

struct Entry {
  std::string_view name;
  SliceClass slice_class;
};

// Stems of ATen operators, in alphabetical order for the binary search. A stem is the name without
// "aten::", "_foreach_", outer underscores and the parts that mark a backward (see stem_of).
constexpr auto kMatmul = SliceClass::matmul;
constexpr auto kSoftmax = SliceClass::softmax;
constexpr auto kElementwise = SliceClass::elementwise;
constexpr auto kNorm = SliceClass::norm;
constexpr auto kCopy = SliceClass::copy;
constexpr std::array kTable = std::to_array<Entry>({
    {"abs", kElementwise},
    {"add", kElementwise},
    {"addbmm", kMatmul},
    {"addcdiv", kElementwise},
    {"addcmul", kElementwise},
    {"addmm", kMatmul},
    {"addmv", kMatmul},
    {"addr", kMatmul},
    {"amp_foreach_non_finite_check_and_unscale", kElementwise},
    {"baddbmm", kMatmul},
    {"batch_norm", kNorm},
    {"bernoulli", kElementwise},
    {"bitwise_and", kElementwise},
    {"bitwise_not", kElementwise},
    {"bitwise_or", kElementwise},
    {"bmm", kMatmul},
    {"cat", kCopy},
    {"ceil", kElementwise},
    {"clamp", kElementwise},
    {"clamp_max", kElementwise},
    {"clamp_min", kElementwise},
    {"clone", kCopy},
    {"concat", kCopy},
    {"contiguous", kCopy},
    {"copy", kCopy},
    {"copy_backwards", kCopy},
    {"cos", kElementwise},
    {"cublas_gemm", kMatmul},
    {"div", kElementwise},
    {"dot", kMatmul},
    {"dropout", kElementwise},
    {"einsum", kMatmul},
    {"eq", kElementwise},
    {"erf", kElementwise},
    {"exp", kElementwise},
    {"fill", kElementwise},
    {"floor", kElementwise},
    {"fused_adam", kElementwise},
    {"fused_adamw", kElementwise},
    {"fused_dropout", kElementwise},
    {"fused_layer_norm", kNorm},
    {"fused_rms_norm", kNorm},
    {"fused_sgd", kElementwise},
    {"ge", kElementwise},
    {"gelu", kElementwise},
    {"glu", kElementwise},
    {"group_norm", kNorm},
    {"gt", kElementwise},
    {"hardswish", kElementwise},
    {"inner", kMatmul},
    {"instance_norm", kNorm},
    {"isfinite", kElementwise},
    {"isinf", kElementwise},
    {"isnan", kElementwise},
    {"layer_norm", kNorm},
    {"le", kElementwise},
    {"leaky_relu", kElementwise},
    {"lerp", kElementwise},
    {"linear", kMatmul},
    {"log", kElementwise},
    {"log1p", kElementwise},
    {"log_softmax", kSoftmax},
    {"logical_and", kElementwise},
    {"logical_not", kElementwise},
    {"logical_or", kElementwise},
    {"lt", kElementwise},
    {"masked_fill", kElementwise},
    {"masked_softmax", kSoftmax},
    {"matmul", kMatmul},
    {"maximum", kElementwise},
    {"minimum", kElementwise},
    {"mkldnn_linear", kMatmul},
    {"mm", kMatmul},
    {"mul", kElementwise},
    {"mv", kMatmul},
    {"ne", kElementwise},
    {"neg", kElementwise},
    {"outer", kMatmul},
    {"pow", kElementwise},
    {"reciprocal", kElementwise},
    {"relu", kElementwise},
    {"repeat", kCopy},
    {"repeat_interleave", kCopy},
    {"rms_norm", kNorm},
    {"round", kElementwise},
    {"rsqrt", kElementwise},
    {"rsub", kElementwise},
    {"safe_softmax", kSoftmax},
    {"scaled_mm", kMatmul},
    {"sigmoid", kElementwise},
    {"sign", kElementwise},
    {"silu", kElementwise},
    {"sin", kElementwise},
    {"softmax", kSoftmax},
    {"softplus", kElementwise},
    {"sqrt", kElementwise},
    {"square", kElementwise},
    {"stack", kCopy},
    {"sub", kElementwise},
    {"tanh", kElementwise},
    {"tensordot", kMatmul},
    {"thnn_fused_lstm_cell", kElementwise},
    {"threshold", kElementwise},
    {"to", kCopy},
    {"to_copy", kCopy},
    {"tril", kElementwise},
    {"triu", kElementwise},
    {"where", kElementwise},
    {"xlogy", kElementwise},
    {"zero", kElementwise},
});
static_assert(std::is_sorted(kTable.begin(), kTable.end(),
                             [](const Entry& a, const Entry& b) { return a.name < b.name; }));

bool strip_prefix(std::string_view& text, std::string_view prefix) {
  if (!text.starts_with(prefix)) return false;
  text.remove_prefix(prefix.size());
  return true;
}

bool strip_suffix(std::string_view& text, std::string_view suffix) {
  if (!text.ends_with(suffix)) return false;
  text.remove_suffix(suffix.size());
  return true;
}

void strip_underscores(std::string_view& text) {
  while (strip_prefix(text, "_")) {
  }
  while (strip_suffix(text, "_")) {
  }
}

// "MmBackward0" -> "mm", "LogSoftmaxBackward0" -> "log_softmax", as autograd names its nodes.
std::string operator_of_node(std::string_view node) {
  while (!node.empty() && std::isdigit(static_cast<unsigned char>(node.back())) != 0) {
    node.remove_suffix(1);
  }
  strip_suffix(node, "Backward");
  std::string name;
  for (const char c : node) {
    const auto byte = static_cast<unsigned char>(c);
    if (std::isupper(byte) != 0) {
      if (!name.empty() && name.back() != '_') name += '_';
      name += base::lower(c);
    } else {
      name += c;
    }
  }
  return name;
}

std::string stem_of(std::string_view name) {
  strip_prefix(name, "autograd::engine::evaluate_function: ");
  strip_prefix(name, "torch::autograd::");
  // Inductor's names of operator calls: "aoti_torch_cpu_addmm_out".
  if (strip_prefix(name, "aoti_torch_cpu_")) strip_suffix(name, "_out");
  std::string stem;
  if (strip_prefix(name, "aten::")) {
    stem = name;
  } else if (!name.empty() && std::isupper(static_cast<unsigned char>(name.front())) != 0) {
    stem = operator_of_node(name);
  } else {
    stem = name;
  }
  std::string_view rest = stem;
  strip_underscores(rest);
  strip_prefix(rest, "foreach_");
  for (const std::string_view suffix : {"_backward_data", "_backward", "_forward"}) {
    if (strip_suffix(rest, suffix)) break;
  }
  strip_prefix(rest, "native_");
  return std::string(rest);
}

// Inductor's own kernels; their names list the fused operators: "graph_0_cpp_fused_add_erf_mul_0".
std::optional<SliceClass> class_of_fused(std::string_view name) {
  const std::size_t at = name.find("cpp_fused_");
  if (at == std::string_view::npos) return std::nullopt;
  const std::string_view parts = name.substr(at);
  if (parts.find("softmax") != std::string_view::npos) return SliceClass::softmax;
  if (parts.find("layer_norm") != std::string_view::npos) return SliceClass::norm;
  return SliceClass::elementwise;
}

}  // namespace

bool is_collective(std::string_view name) {
  // Asked for every operator, of which most begin otherwise.
  if (name.empty() || (name.front() != 'g' && name.front() != 'n')) return false;
  return name.starts_with("gloo:") || name.starts_with("nccl:");
}

SliceClass classify_operator(std::string_view name) {
  if (const auto fused = class_of_fused(name)) return *fused;
  // Other backends of c10d name their work in the same way.
  if (is_collective(name) || name.starts_with("ucc:") || name.starts_with("mpi:"))
    return SliceClass::communication;
  const std::string stem = stem_of(name);
  // Each backend has its own attention operators, and new ones come with every release.
  for (const std::string_view part :
       {"scaled_dot_product", "flash_attention", "efficient_attention", "cudnn_attention"}) {
    if (stem.find(part) != std::string::npos) return SliceClass::attention;
  }
  const auto* const found =
      std::lower_bound(kTable.begin(), kTable.end(), std::string_view(stem),
                       [](const Entry& entry, std::string_view text) { return entry.name < text; });
  return found != kTable.end() && found->name == stem ? found->slice_class : SliceClass::other;
}

}  // namespace ts::trace
