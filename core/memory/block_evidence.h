#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "core/memory/block.h"

namespace ts::memory {

// Evidence in the stack of an allocation for the part of a step that it belongs to.
struct BlockEvidence {
  base::Phase phase = base::Phase::idle;  // idle: nothing
  bool python = false;                    // a line of Python is on the stack
  bool earlier = false;                   // allocated before the recording
  bool in_module = false;                 // a call of a module of torch.nn is on the stack
  bool makes_module = false;              // a line that makes, loads or moves a module is on it
  bool workspace = false;                 // cuBLAS asked for it
  std::uint32_t stack = kNone;            // two blocks with one number have the same stack
};

// The evidence of each block of a log, by block. What it is made of outlives it.
class EvidenceList {
 public:
  // Each block has its own.
  EvidenceList(const std::vector<BlockEvidence>& each) : kinds_(each), size_(each.size()) {}
  // Many blocks share a stack: a block has that of its number among `kinds`, of which there are
  // some, and the last of them where its number is beyond. `earlier`: so many blocks at the front
  // were allocated before the recording.
  EvidenceList(std::span<const BlockEvidence> kinds, std::span<const std::uint32_t> numbers,
               std::size_t earlier)
      : kinds_(kinds), numbers_(numbers), size_(numbers.size()), earlier_(earlier) {}

  [[nodiscard]] std::size_t size() const { return size_; }
  // All that there are, each at least once.
  [[nodiscard]] std::span<const BlockEvidence> kinds() const { return kinds_; }
  [[nodiscard]] BlockEvidence operator[](std::size_t block) const {
    const std::size_t number = numbers_.empty() ? block : numbers_[block];
    BlockEvidence evidence = kinds_[std::min(number, kinds_.size() - 1)];
    evidence.earlier = evidence.earlier || block < earlier_;
    return evidence;
  }

 private:
  std::span<const BlockEvidence> kinds_;
  std::span<const std::uint32_t> numbers_;  // by block; empty: its own
  std::size_t size_ = 0;
  std::size_t earlier_ = 0;
};

// Whether cuBLAS keeps the block for itself: by the stack, else by a size that nothing else has.
bool is_workspace(const Block& block, const BlockEvidence& evidence);

}  // namespace ts::memory
