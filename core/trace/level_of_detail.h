#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "core/trace/chunked_column.h"

namespace ts::trace {

// Totals of a run of neighbouring slices.
struct Aggregate {
  std::int64_t busy_ns = 0;     // sum of durations
  std::int64_t longest_ns = 0;  // duration of the longest
  std::uint32_t longest = 0;    // its index; the earliest among equals
};

// Range sums and range maxima over a growing sequence of durations. Maxima are a 16-way tree: a
// node of level 0 covers 16 slices, one of level 1 covers 256, and so on; it stores the longest
// duration and the child that has it. Sums are running totals per group of 16. Only complete groups
// are stored, so stored data never change. About 1.1 bytes a slice. One thread.
class LevelOfDetail {
 public:
  static constexpr std::uint32_t kFanOutBits = 4;
  static constexpr std::uint32_t kFanOut = 1U << kFanOutBits;

  // Appends the duration of slice number size().
  void append(std::int64_t duration_ns);
  [[nodiscard]] std::uint32_t size() const noexcept { return size_; }

  // Aggregate of slices [first, end), first < end; duration_of(index) returns the durations that no
  // complete group covers, and may include slices that were not appended yet. O(16 log n).
  template <class DurationOf>
  [[nodiscard]] Aggregate over(std::uint32_t first, std::uint32_t end,
                               const DurationOf& duration_of) const;

  [[nodiscard]] std::size_t bytes() const noexcept;

 private:
  static constexpr std::uint32_t kChunkBits = 9;
  static constexpr std::size_t kMostLevels = 8;  // 16^8: the slices that 32 bits can index
  struct Level {
    ChunkedColumn<std::int64_t, kChunkBits> longest_ns;
    ChunkedColumn<std::uint8_t, kChunkBits> child;  // 0 .. 15
    std::int64_t open_ns = -1;                      // longest of the group that is still filling
    std::uint8_t open_child = 0;
    std::uint32_t filled = 0;  // members so far
  };
  // Node of a level, with its longest duration.
  struct Candidate {
    std::int64_t longest_ns = -1;
    std::uint32_t level = 0;
    std::uint32_t node = 0;
  };

  // Longest of the complete groups [first, end), first < end.
  [[nodiscard]] Candidate longest_of(std::uint32_t first, std::uint32_t end) const;
  // Scans nodes [first, end), all in one group of 16; keeps the earlier best unless a node is
  // longer.
  void scan(std::uint32_t level, std::uint32_t first, std::uint32_t end, Candidate& best) const;
  [[nodiscard]] std::uint32_t slice_of(Candidate candidate) const;

  std::vector<Level> levels_;
  ChunkedColumn<std::int64_t, kChunkBits> busy_until_;  // end of each complete group
  std::int64_t busy_ns_ = 0;
  std::uint32_t size_ = 0;
};

template <class DurationOf>
Aggregate LevelOfDetail::over(std::uint32_t first, std::uint32_t end,
                              const DurationOf& duration_of) const {
  // -1: the first slice always wins, even if its duration is 0.
  Aggregate sum{.longest_ns = -1, .longest = first};
  const auto add = [&sum, &duration_of](std::uint32_t from, std::uint32_t to) {
    for (std::uint32_t index = from; index < to; ++index) {
      const std::int64_t duration = duration_of(index);
      sum.busy_ns += duration;
      sum.longest = duration > sum.longest_ns ? index : sum.longest;
      sum.longest_ns = std::max(sum.longest_ns, duration);
    }
  };
  const std::uint32_t first_group = (first >> kFanOutBits) + (first % kFanOut == 0 ? 0 : 1);
  const std::uint32_t end_group = std::min(end >> kFanOutBits, busy_until_.size());
  if (first_group >= end_group) {
    add(first, end);
    return sum;
  }
  add(first, first_group << kFanOutBits);
  sum.busy_ns += busy_until_[end_group - 1];
  if (first_group > 0) sum.busy_ns -= busy_until_[first_group - 1];
  if (const Candidate best = longest_of(first_group, end_group); best.longest_ns > sum.longest_ns) {
    sum.longest_ns = best.longest_ns;
    sum.longest = slice_of(best);
  }
  add(end_group << kFanOutBits, end);
  return sum;
}

}  // namespace ts::trace
