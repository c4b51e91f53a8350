#include "core/trace/level_of_detail.h"

#include <array>

namespace ts::trace {

void LevelOfDetail::append(std::int64_t duration_ns) {
  busy_ns_ += duration_ns;
  if (++size_ % kFanOut == 0) busy_until_.push_back(busy_ns_);
  std::int64_t longest_ns = duration_ns;
  for (std::size_t number = 0;; ++number) {
    if (number == levels_.size()) levels_.emplace_back();
    Level& level = levels_[number];
    if (longest_ns > level.open_ns) {
      level.open_ns = longest_ns;
      level.open_child = static_cast<std::uint8_t>(level.filled);
    }
    if (++level.filled < kFanOut) return;
    level.longest_ns.push_back(level.open_ns);
    level.child.push_back(level.open_child);
    longest_ns = level.open_ns;
    level.open_ns = -1;
    level.filled = 0;
  }
}

LevelOfDetail::Candidate LevelOfDetail::longest_of(std::uint32_t first, std::uint32_t end) const {
  Candidate best;
  // In time order, so that the earliest among equals wins: up the levels for the nodes before a
  // multiple of 16, down again for the nodes after one.
  std::array<std::uint32_t, kMostLevels> tail_end{};
  std::uint32_t level = 0;
  for (; first >> kFanOutBits != end >> kFanOutBits; ++level) {
    const std::uint32_t head_end = (first + kFanOut - 1) & ~(kFanOut - 1);
    scan(level, first, head_end, best);
    tail_end[level] = end;
    first = head_end >> kFanOutBits;
    end >>= kFanOutBits;
  }
  scan(level, first, end, best);
  while (level-- > 0) {
    scan(level, tail_end[level] & ~(kFanOut - 1), tail_end[level], best);
  }
  return best;
}

void LevelOfDetail::scan(std::uint32_t level, std::uint32_t first, std::uint32_t end,
                         Candidate& best) const {
  if (first >= end) return;
  // All nodes are within 16 aligned ones, and these are within one chunk.
  const std::int64_t* longest_ns = levels_[level].longest_ns.at(first);
  const std::uint32_t count = end - first;
  std::int64_t most = best.longest_ns;
  std::uint32_t which = count;
  // Conditional selects instead of branches: the position of the longest cannot be predicted.
  for (std::uint32_t i = 0; i < count; ++i) {
    which = longest_ns[i] > most ? i : which;
    most = longest_ns[i] > most ? longest_ns[i] : most;
  }
  if (which == count) return;
  best = {.longest_ns = most, .level = level, .node = first + which};
}

std::uint32_t LevelOfDetail::slice_of(Candidate candidate) const {
  std::uint32_t index = candidate.node;
  for (std::uint32_t level = candidate.level + 1; level > 0; --level) {
    index = (index << kFanOutBits) + levels_[level - 1].child[index];
  }
  return index;
}

std::size_t LevelOfDetail::bytes() const noexcept {
  std::size_t sum = levels_.capacity() * sizeof(Level) + busy_until_.bytes();
  for (const Level& level : levels_) sum += level.longest_ns.bytes() + level.child.bytes();
  return sum;
}

}  // namespace ts::trace
