#include "kernels/observe/shape_cache.h"

#include <algorithm>
#include <string>

namespace ts::kernels {
namespace {

std::string words_of(const at::Tensor& tensor) {
  std::string words = "[";
  for (const std::int64_t size : tensor.sizes()) {
    if (words.size() > 1) words += ", ";
    words += std::to_string(size);
  }
  return words + "] " + type_name(tensor.scalar_type());
}

}  // namespace

const char* type_name(at::ScalarType type) {
  switch (type) {
    case at::kFloat:
      return "fp32";
    case at::kHalf:
      return "fp16";
    case at::kBFloat16:
      return "bf16";
    case at::kDouble:
      return "fp64";
    case at::kLong:
      return "int64";
    case at::kInt:
      return "int32";
    case at::kBool:
      return "bool";
    default:
      return at::toString(type);
  }
}

base::StringId ShapeCache::find(const at::Tensor& tensor) {
  constexpr std::uint64_t kOdd = 0x9E3779B97F4A7C15U;
  std::uint64_t hash = static_cast<std::uint64_t>(tensor.scalar_type());
  for (const std::int64_t size : tensor.sizes())
    hash = (hash ^ static_cast<std::uint64_t>(size)) * kOdd;
  Slot& slot = slots_[(hash >> 32U) % slots_.size()];
  const bool known =
      slot.type == tensor.scalar_type() && std::ranges::equal(slot.sizes, tensor.sizes());
  if (known && slot.id != base::kNoString) return slot.id;
  slot.sizes.assign(tensor.sizes().begin(), tensor.sizes().end());
  slot.type = tensor.scalar_type();
  slot.id = strings_->intern(words_of(tensor));
  return slot.id;
}

}  // namespace ts::kernels
