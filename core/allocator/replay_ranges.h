#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <utility>

namespace ts::allocator {

// Memory that the device has allocated: a segment of cudaMalloc, or contiguous mapped pages of an
// expandable segment.
struct MappedRange {
  std::int64_t size = 0;
  std::int64_t stream = 0;
  bool small_pool = false;
  bool expandable = false;
};

// The ranges at one moment of a trace, and the known ranges of all moments. Private to the replay.
class MappedRanges {
 public:
  // Returns false without changes if it overlaps another one. Expandable neighbours are merged.
  bool add(std::uint64_t address, const MappedRange& range);
  // Returns false without changes if part of it is missing. Only an expandable range can be split.
  bool remove(std::uint64_t address, std::int64_t size);

  [[nodiscard]] const std::map<std::uint64_t, MappedRange>& all() const { return ranges_; }
  [[nodiscard]] const MappedRange* at(std::uint64_t address) const;
  [[nodiscard]] std::uint64_t end_of_range_at(std::uint64_t address) const;  // 0: no range

  // Stores that this range existed at some time.
  void note(std::uint64_t address, const MappedRange& range);
  // True if the noted range nearest to an address, on its stream, is of the small pool.
  [[nodiscard]] std::optional<bool> small_pool_near(std::uint64_t address,
                                                    std::int64_t stream) const;
  // The addresses around an expandable range that belong to the same expandable segment, as far as
  // noted: no other segment, pool or stream is in between.
  [[nodiscard]] std::pair<std::uint64_t, std::uint64_t> stretch_of(std::uint64_t address) const;
  // Bytes of addresses that one expandable segment has. A recording does not contain it: at least
  // the longest stretch, and at most the distance to the next range after one. 0: there is none.
  [[nodiscard]] std::int64_t reservation_size() const;

 private:
  using Map = std::map<std::uint64_t, MappedRange>;
  static std::uint64_t end_of(Map::const_iterator range) {
    return range->first + static_cast<std::uint64_t>(range->second.size);
  }
  static bool one_kind(const MappedRange& a, const MappedRange& b) {
    return a.expandable && b.expandable && a.stream == b.stream && a.small_pool == b.small_pool;
  }
  [[nodiscard]] Map::const_iterator find(std::uint64_t address) const;

  Map ranges_;
  Map noted_;
};

}  // namespace ts::allocator
