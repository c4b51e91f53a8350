#include "core/base/string_table.h"

#include <bit>

namespace ts::base {

constexpr StringTable::Place StringTable::place_of(StringId id) noexcept {
  const std::size_t counted = std::size_t{id} + (std::size_t{1} << kFirstBits);
  const auto bits = static_cast<std::size_t>(std::bit_width(counted)) - 1;
  return {bits - kFirstBits, counted - (std::size_t{1} << bits)};
}

StringTable::StringTable() {
  intern("");
}

StringTable::~StringTable() {
  for (auto& chunk : chunks_) delete[] chunk.load(std::memory_order_relaxed);
}

StringId StringTable::intern(std::string_view text) {
  const std::lock_guard lock(mutex_);
  if (const auto found = index_.find(text); found != index_.end()) return found->second;
  const StringId id = size_.load(std::memory_order_relaxed);
  if (id >> kMaxBits != 0) {
    overflowed_.fetch_add(1, std::memory_order_relaxed);
    return kNoString;
  }
  const Place place = place_of(id);
  std::string* strings = chunks_[place.chunk].load(std::memory_order_relaxed);
  if (strings == nullptr) {
    strings = new std::string[std::size_t{1} << (kFirstBits + place.chunk)];
    chunks_[place.chunk].store(strings, std::memory_order_release);
  }
  std::string& stored = strings[place.index];
  stored.assign(text);
  index_.emplace(stored, id);
  size_.store(id + 1, std::memory_order_release);
  return id;
}

std::string_view StringTable::view(StringId id) const noexcept {
  if (id >= size_.load(std::memory_order_acquire)) return {};
  const Place place = place_of(id);
  return chunks_[place.chunk].load(std::memory_order_acquire)[place.index];
}

}  // namespace ts::base
