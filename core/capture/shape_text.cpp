#include "core/capture/shape_text.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <string_view>

namespace ts::capture {

namespace {

// In the order of DType.
std::string_view dtype_name(std::uint8_t code) {
  constexpr std::array kNames = {"",      "fp64",  "fp32",  "fp16", "bf16",
                                 "int64", "int32", "uint8", "bool"};
  return code < kNames.size() ? kNames[code] : "other";
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
  Recent& recent = recent_[Hash{}(key) % kRecent];
  if (recent.id != base::kNoString && recent.key == key) return recent.id;
  const auto [known, fresh] = ids_.try_emplace(key, base::kNoString);
  if (fresh) known->second = strings_.intern(shape_text(shapes));
  recent = {key, known->second};
  return known->second;
}

ShapeTexts::Key ShapeTexts::key_of(const Shapes& shapes) {
  static_assert(Shapes::kMaxTensors == 4 && Shapes::kMaxDims == 14);
  Key key;
  std::size_t dims = 0;
  // Word 0: ranks plus one, which are never 0, and dtypes, a byte each; then two sizes a word.
  std::array<std::uint8_t, 2 * std::size_t{Shapes::kMaxTensors}> kinds{};
  for_each_tensor(shapes, [&](std::size_t tensor, std::size_t, std::size_t end) {
    kinds[tensor] = static_cast<std::uint8_t>(shapes.rank[tensor] + 1);
    kinds[Shapes::kMaxTensors + tensor] = shapes.dtype[tensor];
    dims = end;
  });
  std::memcpy(&key.words[0], kinds.data(), kinds.size());
  std::memcpy(&key.words[1], shapes.dims.data(), dims * sizeof(shapes.dims[0]));
  key.used = 1 + (dims + 1) / 2;
  return key;
}

std::size_t ShapeTexts::Hash::operator()(const Key& key) const noexcept {
  // Two chains, which the processor multiplies at once.
  constexpr std::uint64_t kOdd = 0x9E3779B97F4A7C15U;
  std::uint64_t even = 0;
  std::uint64_t odd = 0;
  for (std::size_t at = 0; at < key.used; at += 2) {
    even = (even ^ key.words[at]) * kOdd;
    even ^= even >> 29U;
    odd = (odd ^ key.words[at + 1]) * kOdd;
    odd ^= odd >> 29U;
  }
  const std::uint64_t hash = (even ^ (odd >> 7U) ^ (odd << 57U)) * kOdd;
  return hash ^ (hash >> 32U);
}

}  // namespace ts::capture
