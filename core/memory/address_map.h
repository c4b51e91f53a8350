#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

namespace ts::memory {

// Maps addresses to small values, in one array: a log or an allocator looks up tens of thousands of
// them in a frame, and a node for each cost more than the rest of the work. Open addressing with
// linear probing; an erase moves later entries back (Knuth, volume 3, 6.4, algorithm R), so there
// are no tombstones. Pointers to values are valid until the next insertion or erasure. One owner
// thread.
template <typename Value>
class AddressMap {
 public:
  // nullptr if the address is not present.
  [[nodiscard]] Value* find(std::uint64_t address) {
    if (count_ == 0) return nullptr;
    Slot& slot = slots_[place_of(address)];
    return slot.used ? &slot.value : nullptr;
  }
  [[nodiscard]] const Value* find(std::uint64_t address) const {
    return const_cast<AddressMap*>(this)->find(address);
  }

  // The value of the address, value-initialised if it was not present.
  Value& operator[](std::uint64_t address) {
    if (2 * (count_ + 1) > slots_.size()) grow();
    Slot& slot = slots_[place_of(address)];
    if (!slot.used) {
      slot = {address, Value{}, true};
      ++count_;
    }
    return slot.value;
  }

  // Sets the value and returns the previous one, if any.
  std::optional<Value> exchange(std::uint64_t address, const Value& value) {
    if (2 * (count_ + 1) > slots_.size()) grow();
    Slot& slot = slots_[place_of(address)];
    std::optional<Value> before;
    if (slot.used) {
      before = slot.value;
    } else {
      ++count_;
    }
    slot = {address, value, true};
    return before;
  }

  // Removes the value and returns it.
  std::optional<Value> take(std::uint64_t address) {
    if (count_ == 0) return std::nullopt;
    const std::size_t place = place_of(address);
    if (!slots_[place].used) return std::nullopt;
    Value value = slots_[place].value;
    vacate(place);
    return value;
  }

  // Returns false if the address was not present.
  bool erase(std::uint64_t address) { return take(address).has_value(); }

  // Calls `visit(address, value)` for each, in no order.
  template <class Visit>
  void for_each(const Visit& visit) const {
    for (const Slot& slot : slots_) {
      if (slot.used) visit(slot.address, slot.value);
    }
  }

  void clear() {
    slots_.clear();
    count_ = 0;
  }
  [[nodiscard]] std::size_t size() const { return count_; }
  [[nodiscard]] std::size_t bytes() const { return slots_.capacity() * sizeof(Slot); }

 private:
  struct Slot {
    std::uint64_t address = 0;
    Value value{};
    bool used = false;
  };

  [[nodiscard]] std::size_t mask() const { return slots_.size() - 1; }
  // Addresses are multiples of powers of two: the hash must mix their upper bits into the lower
  // ones.
  [[nodiscard]] std::size_t home_of(std::uint64_t address) const {
    constexpr std::uint64_t kGoldenRatio = 0x9E3779B97F4A7C15U;
    return static_cast<std::size_t>((address * kGoldenRatio) >> 32U) & mask();
  }
  // The slot of the address, or where it would be inserted.
  [[nodiscard]] std::size_t place_of(std::uint64_t address) const {
    std::size_t place = home_of(address);
    while (slots_[place].used && slots_[place].address != address) place = (place + 1) & mask();
    return place;
  }
  void vacate(std::size_t hole) {
    --count_;
    for (std::size_t next = hole;;) {
      next = (next + 1) & mask();
      if (!slots_[next].used) break;
      // It may move back only if its home slot is not after the hole.
      const std::size_t home = home_of(slots_[next].address);
      if (((next - home) & mask()) >= ((next - hole) & mask())) {
        slots_[hole] = slots_[next];
        hole = next;
      }
    }
    slots_[hole].used = false;
  }
  void grow() {
    std::vector<Slot> old(slots_.empty() ? 64 : 2 * slots_.size());
    old.swap(slots_);
    for (const Slot& slot : old) {
      if (slot.used) slots_[place_of(slot.address)] = slot;
    }
  }

  std::vector<Slot> slots_;  // a power of two, at most half of them used
  std::size_t count_ = 0;
};

}  // namespace ts::memory
