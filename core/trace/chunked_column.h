#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

namespace ts::trace {

// Growing sequence of plain values in chunks of 2^kChunkBits: growing never moves a value. One
// thread.
template <class Value, std::uint32_t kChunkBits>
class ChunkedColumn {
 public:
  void push_back(Value value) {
    if (within(size_) == 0) chunks_.push_back(std::make_unique_for_overwrite<Chunk>());
    (*chunks_.back())[within(size_)] = value;
    ++size_;
  }
  [[nodiscard]] Value operator[](std::uint32_t index) const noexcept { return *at(index); }
  // Pointer to a value; the following values of the same chunk can be read through it.
  [[nodiscard]] const Value* at(std::uint32_t index) const noexcept {
    return chunks_[index >> kChunkBits]->data() + within(index);
  }
  [[nodiscard]] std::uint32_t size() const noexcept { return size_; }
  [[nodiscard]] std::size_t bytes() const noexcept {
    return chunks_.capacity() * sizeof(chunks_.front()) + chunks_.size() * sizeof(Chunk);
  }

 private:
  using Chunk = std::array<Value, 1U << kChunkBits>;
  static constexpr std::uint32_t within(std::uint32_t index) noexcept {
    return index & ((1U << kChunkBits) - 1);
  }

  std::vector<std::unique_ptr<Chunk>> chunks_;
  std::uint32_t size_ = 0;
};

}  // namespace ts::trace
