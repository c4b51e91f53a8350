#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <unordered_map>
#include <vector>

#include "core/base/check.h"

namespace ts::memory {

// Mixes `value` into a hash; for tables of small plain structs.
inline std::size_t mix_hash(std::size_t seed, std::uint64_t value) {
  constexpr std::uint64_t kGolden = 0x9E3779B97F4A7C15ULL;
  std::uint64_t mixed = (seed ^ value) * kGolden;
  mixed ^= mixed >> 29U;
  return static_cast<std::size_t>(mixed);
}

// Keeps every distinct value once and gives it an index. T has `std::size_t hash() const` and ==.
// Copyable; not thread safe. O(1) for a lookup.
template <class T>
class Interner {
 public:
  using Index = std::uint32_t;

  Index add(const T& value) {
    const std::size_t hash = value.hash();
    const auto [begin, end] = by_hash_.equal_range(hash);
    for (auto it = begin; it != end; ++it) {
      if (values_[it->second] == value) return it->second;
    }
    TS_CHECK(values_.size() < 0xFFFFFFFFU);
    const auto index = static_cast<Index>(values_.size());
    values_.push_back(value);
    by_hash_.emplace(hash, index);
    return index;
  }
  [[nodiscard]] const T& operator[](Index index) const { return values_[index]; }
  [[nodiscard]] std::size_t size() const { return values_.size(); }
  [[nodiscard]] std::span<const T> values() const { return values_; }  // by index

 private:
  std::vector<T> values_;
  std::unordered_multimap<std::size_t, Index> by_hash_;
};

}  // namespace ts::memory
