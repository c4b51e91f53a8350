#include "core/stats/operator_flops.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <vector>

namespace ts::stats {

namespace {

using Shape = std::vector<double>;

std::vector<Shape> parse(std::string_view text) {
  std::vector<Shape> shapes;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '[') {
      shapes.emplace_back();
      continue;
    }
    if (std::isdigit(static_cast<unsigned char>(text[i])) == 0) {
      // The type after a shape has digits of its own.
      if (text[i] == ']') {
        const std::size_t next = text.find('[', i);
        if (next == std::string_view::npos) break;
        i = next - 1;
      }
      continue;
    }
    double value = 0;
    for (; i < text.size() && std::isdigit(static_cast<unsigned char>(text[i])) != 0; ++i) {
      value = value * 10 + (text[i] - '0');
    }
    --i;
    if (!shapes.empty()) shapes.back().push_back(value);
  }
  return shapes;
}

// [.., m, k] x [.., k, n].
double product(const std::vector<Shape>& shapes, std::size_t first) {
  if (shapes.size() < first + 2) return 0;
  const Shape& a = shapes[first];
  const Shape& b = shapes[first + 1];
  if (a.size() < 2 || b.size() != a.size()) return 0;
  double flops = 2 * b.back();
  for (const double size : a) flops *= size;
  return flops;
}

// Q [B, H, T, d] and K [B, H_kv, T_kv, d].
double attention(const std::vector<Shape>& shapes, std::size_t first) {
  if (shapes.size() < first + 2) return 0;
  const Shape& q = shapes[first];
  const Shape& k = shapes[first + 1];
  if (q.size() != 4 || k.size() != 4) return 0;
  return 4 * q[0] * q[1] * q[2] * q[3] * k[2];
}

double element_bytes(std::string_view type) {
  if (type == "fp64" || type == "int64") return 8;
  if (type == "fp32" || type == "int32") return 4;
  if (type == "fp16" || type == "bf16") return 2;
  return type == "bool" ? 1 : 0;
}

}  // namespace

double input_bytes(std::string_view shapes) {
  double bytes = 0;
  const std::vector<Shape> sizes = parse(shapes);
  // The type of each tensor is between its bracket and the comma before the next.
  for (const Shape& shape : sizes) {
    shapes.remove_prefix(std::min(shapes.find(']') + 1, shapes.size()));
    const std::string_view rest = shapes.substr(0, shapes.find(','));
    const std::size_t begin = rest.find_first_not_of(' ');
    double elements = 1;
    for (const double size : shape) elements *= size;
    if (begin != rest.npos) bytes += elements * element_bytes(rest.substr(begin));
  }
  return bytes;
}

bool makes_view(std::string_view name) {
  // Alphabetically.
  constexpr auto kViews = std::to_array<std::string_view>(
      {"_reshape_alias", "_unsafe_view",     "alias",     "as_strided", "chunk",
       "detach",         "diagonal",         "expand",    "expand_as",  "movedim",
       "narrow",         "numpy_T",          "permute",   "select",     "slice",
       "split",          "split_with_sizes", "squeeze",   "swapaxes",   "t",
       "transpose",      "unbind",           "unflatten", "unfold",     "unsqueeze",
       "view",           "view_as"});
  constexpr std::string_view kPrefix = "aten::";
  if (!name.starts_with(kPrefix)) return false;
  return std::ranges::binary_search(kViews, name.substr(kPrefix.size()));
}

double operator_flops(std::string_view name, std::string_view shapes) {
  constexpr std::string_view kPrefix = "aten::";
  if (!name.starts_with(kPrefix)) return 0;
  name.remove_prefix(kPrefix.size());
  if (name == "mm" || name == "bmm") return product(parse(shapes), 0);
  if (name == "addmm" || name == "baddbmm") return product(parse(shapes), 1);
  if (!name.starts_with("_scaled_dot_product_")) return 0;
  const bool fused = name.find("flash_attention") != name.npos ||
                     name.find("efficient_attention") != name.npos ||
                     name.find("cudnn_attention") != name.npos;
  if (!fused) return 0;  // the math variant consists of products
  const bool backward = name.find("_backward") != name.npos;
  // The gradient of the output comes first.
  return backward ? 2.5 * attention(parse(shapes), 1) : attention(parse(shapes), 0);
}

}  // namespace ts::stats
