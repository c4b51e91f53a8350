#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "core/memory/allocation_log.h"

namespace ts::views {

// Smallest and largest total over any range of events of one AllocationLog in O(log n). A tree of
// extremes with 16 children per node, extended as the log grows.
class TotalsIndex {
 public:
  struct Extremes {
    std::int64_t least = 0;
    std::int64_t most = 0;
  };
  // Adds the events appended since the last call. A shorter log rebuilds the tree.
  void update(std::span<const memory::Event> events);
  void clear();
  // Extremes of the totals after events [first, end) of the log; first < end <= size().
  [[nodiscard]] Extremes over(std::span<const memory::Event> events, std::uint32_t first,
                              std::uint32_t end) const;
  [[nodiscard]] std::uint32_t size() const { return size_; }

 private:
  void add_level();

  static constexpr std::uint32_t kFanout = 16;
  std::uint32_t size_ = 0;                     // events
  std::vector<std::vector<Extremes>> levels_;  // 0: a node for kFanout events
};

}  // namespace ts::views
