#include "core/capture/shape_text.h"

#include <algorithm>
#include <string_view>

namespace ts::capture {

namespace {

std::string_view dtype_name(std::uint8_t code) {
  switch (static_cast<DType>(code)) {
    case DType::none:
      return "";
    case DType::fp64:
      return "fp64";
    case DType::fp32:
      return "fp32";
    case DType::fp16:
      return "fp16";
    case DType::bf16:
      return "bf16";
    case DType::int64:
      return "int64";
    case DType::int32:
      return "int32";
    case DType::uint8:
      return "uint8";
    case DType::boolean:
      return "bool";
    case DType::other:
      break;
  }
  return "other";
}

// Calls visit(tensor, first_dim, end_dim) for each tensor whose sizes are complete.
template <class Visit>
void for_each_tensor(const Shapes& shapes, const Visit& visit) {
  const int tensors = std::min<int>(shapes.tensors, Shapes::kMaxTensors);
  std::size_t dim = 0;
  for (std::size_t tensor = 0; tensor < static_cast<std::size_t>(tensors); ++tensor) {
    const std::size_t end = dim + shapes.rank[tensor];
    if (end > shapes.dims.size()) return;
    visit(tensor, dim, end);
    dim = end;
  }
}

}  // namespace

std::string shape_text(const Shapes& shapes) {
  std::string text;
  for_each_tensor(shapes, [&](std::size_t tensor, std::size_t first, std::size_t end) {
    if (!text.empty()) text += ", ";
    text += '[';
    for (std::size_t dim = first; dim < end; ++dim) {
      if (dim != first) text += ", ";
      text += std::to_string(shapes.dims[dim]);
    }
    text += ']';
    const std::string_view name = dtype_name(shapes.dtype[tensor]);
    if (!name.empty()) text.append(" ").append(name);
  });
  return text;
}

base::StringId ShapeTexts::id(const Shapes& shapes) {
  if (shapes.tensors == 0) return base::kNoString;
  const Key key = key_of(shapes);
  if (const auto found = ids_.find(key); found != ids_.end()) return found->second;
  const base::StringId made = strings_.intern(shape_text(shapes));
  ids_.emplace(key, made);
  return made;
}

ShapeTexts::Key ShapeTexts::key_of(const Shapes& shapes) {
  static_assert(Shapes::kMaxTensors == 4 && Shapes::kMaxDims == 14);
  Key key;
  // Word 0: for each tensor one byte for the rank plus one and one for the dtype; then two sizes a
  // word.
  for_each_tensor(shapes, [&](std::size_t tensor, std::size_t first, std::size_t end) {
    const auto rank = static_cast<std::uint64_t>(shapes.rank[tensor]) + 1;
    key.words[0] |= (rank | std::uint64_t{shapes.dtype[tensor]} << 8U) << (16U * tensor);
    for (std::size_t dim = first; dim < end; ++dim) {
      const auto size = static_cast<std::uint32_t>(shapes.dims[dim]);
      key.words[1 + dim / 2] |= std::uint64_t{size} << (32U * (dim % 2));
    }
  });
  return key;
}

std::size_t ShapeTexts::Hash::operator()(const Key& key) const noexcept {
  std::uint64_t hash = 0;
  for (const std::uint64_t word : key.words) {
    hash = (hash ^ word) * 0x9E3779B97F4A7C15U;
    hash ^= hash >> 29U;
  }
  return hash;
}

}  // namespace ts::capture
