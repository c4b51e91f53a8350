#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "core/base/clock.h"
#include "core/trace/chunked_column.h"
#include "core/trace/level_of_detail.h"
#include "core/trace/slice.h"

namespace ts::trace {

// The slices of one track at one depth, ordered by begin, as columns in fixed-size chunks:
// appending never moves stored data. Where two slices overlap (they should not), queries treat the
// earlier one as ending where the later begins; get() returns the recorded values. One thread.
class Lane {
 public:
  // Returns false when the slice begins before the last one.
  bool append(const Slice& slice);
  [[nodiscard]] std::uint32_t size() const noexcept { return size_; }
  [[nodiscard]] Slice get(std::uint32_t index) const noexcept;
  [[nodiscard]] std::int64_t begin_ns(std::uint32_t index) const noexcept {
    return chunk_of(index).begin_ns[within(index)];
  }
  [[nodiscard]] std::int64_t end_ns(std::uint32_t index) const noexcept {
    return begin_ns(index) + chunk_of(index).duration_ns[within(index)];
  }

  // TraceStore::query; appends to `out`. `place` is the lane's place, its index not used.
  void query(SliceRef place, base::TimeRange range, std::int32_t pixels,
             std::vector<VisibleSlice>& out) const;

  // Number of slices that begin before a time; cheap when the result is near `guess`.
  [[nodiscard]] std::uint32_t count_before(std::int64_t time_ns, std::uint32_t guess) const;
  // The slice that covers a time, or begins at it with duration 0; size() when there is none.
  [[nodiscard]] std::uint32_t at(std::int64_t time_ns) const;

  // The first `most` slices whose name or module is marked in `wanted` (by id).
  [[nodiscard]] std::vector<std::uint32_t> find(const std::vector<char>& wanted,
                                                std::size_t most) const;

  [[nodiscard]] std::size_t bytes() const noexcept;

 private:
  // 2,048 slices are 66 KiB: below malloc's mmap threshold, and little waste on short lanes.
  static constexpr std::uint32_t kChunkBits = 11;
  static constexpr std::uint32_t kChunkSize = 1U << kChunkBits;
  struct Chunk {
    std::array<std::int64_t, kChunkSize> begin_ns;
    std::array<std::int64_t, kChunkSize> duration_ns;
    std::array<base::StringId, kChunkSize> name;
    std::array<base::StringId, kChunkSize> module;
    std::array<base::StringId, kChunkSize> detail;
    std::array<std::uint32_t, kChunkSize> flow;
    std::array<SliceClass, kChunkSize> slice_class;
  };

  static std::uint32_t within(std::uint32_t index) noexcept { return index & (kChunkSize - 1); }
  [[nodiscard]] const Chunk& chunk_of(std::uint32_t index) const noexcept {
    return *chunks_[index >> kChunkBits];
  }
  // Duration, cut off where the next slice begins.
  [[nodiscard]] std::int64_t clear_duration(std::uint32_t index) const noexcept;
  // The boxes of a query, with begin, count and the first slice as ref.
  void divide(SliceRef place, base::TimeRange range, std::int32_t pixels,
              std::vector<VisibleSlice>& out) const;
  // Fills in end and busy, and makes the longest slice the ref.
  void sum_up(VisibleSlice& box) const;
  // The same for groups: the number of groups that begin before a time.
  [[nodiscard]] std::uint32_t groups_before(std::int64_t time_ns, std::uint32_t guess) const;

  // Begins of every 16th slice: a search reads only a few slice begins.
  static constexpr std::uint32_t kGroupBits = 4;
  ChunkedColumn<std::int64_t, 9> group_begin_ns_;
  std::vector<std::unique_ptr<Chunk>> chunks_;
  LevelOfDetail levels_;  // one slice behind: a clear duration needs the next slice
  std::uint32_t size_ = 0;
};

}  // namespace ts::trace
