#include "core/trace/lane.h"

#include <algorithm>
#include <limits>
#include <span>

#include "core/base/check.h"
#include "core/trace/pixel_grid.h"

namespace ts::trace {

bool Lane::append(const Slice& slice) {
  TS_CHECK(size_ < std::numeric_limits<std::uint32_t>::max());
  if (size_ > 0 && slice.begin_ns < begin_ns(size_ - 1)) return false;
  const std::uint32_t place = within(size_);
  if (place == 0) chunks_.push_back(std::make_unique_for_overwrite<Chunk>());
  if (place % (1U << kGroupBits) == 0) group_begin_ns_.push_back(slice.begin_ns);
  Chunk& chunk = *chunks_.back();
  chunk.begin_ns[place] = slice.begin_ns;
  chunk.duration_ns[place] = slice.duration_ns;
  chunk.name[place] = slice.name;
  chunk.module[place] = slice.module;
  chunk.detail[place] = slice.detail;
  chunk.flow[place] = slice.flow;
  chunk.slice_class[place] = slice.slice_class;
  ++size_;
  if (size_ > 1) levels_.append(clear_duration(size_ - 2));
  return true;
}

Slice Lane::get(std::uint32_t index) const noexcept {
  const Chunk& chunk = chunk_of(index);
  const std::uint32_t place = within(index);
  return {.begin_ns = chunk.begin_ns[place],
          .duration_ns = chunk.duration_ns[place],
          .name = chunk.name[place],
          .module = chunk.module[place],
          .detail = chunk.detail[place],
          .flow = chunk.flow[place],
          .slice_class = chunk.slice_class[place]};
}

std::int64_t Lane::clear_duration(std::uint32_t index) const noexcept {
  const std::int64_t duration = chunk_of(index).duration_ns[within(index)];
  if (index + 1 >= size_) return duration;
  // The difference of two distant begins could overflow; a comparison of ends cannot.
  const std::int64_t begin = begin_ns(index);
  const std::int64_t next = begin_ns(index + 1);
  return begin + duration <= next ? duration : next - begin;
}

void Lane::query(SliceRef place, base::TimeRange range, std::int32_t pixels,
                 std::vector<VisibleSlice>& out) const {
  if (range.empty() || pixels <= 0 || size_ == 0) return;
  const std::size_t old = out.size();
  divide(place, range, pixels, out);
  const std::span<VisibleSlice> boxes(out.data() + old, out.size() - old);
  // One stage over all boxes instead of all stages per box: in a short loop the processor can load
  // data for several boxes at once.
  for (VisibleSlice& box : boxes) sum_up(box);
  for (VisibleSlice& box : boxes) {
    const Chunk& chunk = chunk_of(box.ref.index);
    box.name = chunk.name[within(box.ref.index)];
    box.slice_class = chunk.slice_class[within(box.ref.index)];
  }
}

void Lane::divide(SliceRef place, base::TimeRange range, std::int32_t pixels,
                  std::vector<VisibleSlice>& out) const {
  const PixelGrid grid(range, pixels);
  std::uint32_t next = count_before(range.begin, 0);
  // At most one slice begins before the range and extends into it.
  if (next > 0 && begin_ns(next - 1) + clear_duration(next - 1) > range.begin) --next;
  const std::uint32_t end = count_before(range.end, size_);
  const auto put = [&](std::uint32_t first, std::uint32_t box_end) {
    place.index = first;
    out.push_back({.ref = place, .begin_ns = begin_ns(first), .count = box_end - first});
  };
  std::uint32_t in_column = 0;  // slices in the last column: a guess for this one
  while (next < end) {
    const std::int64_t column_end = grid.column_end(std::max(begin_ns(next), range.begin));
    const std::uint32_t column_last =
        column_end >= range.end ? end : count_before(column_end, next + in_column);
    in_column = column_last - next;
    // All slices that begin in one column also end in it, except the last one and one that began
    // before the range: only these two can be a pixel long.
    std::uint32_t first = next;
    next = column_last;
    if (grid.fills_pixel(clear_duration(first))) {
      put(first, first + 1);
      ++first;
    }
    if (first == next) continue;
    const std::uint32_t last = next - 1;
    const bool last_alone = grid.fills_pixel(clear_duration(last));
    if (const std::uint32_t short_end = last_alone ? last : next; first < short_end) {
      put(first, short_end);
    }
    if (last_alone) put(last, next);
  }
}

void Lane::sum_up(VisibleSlice& box) const {
  const std::uint32_t first = box.ref.index;
  const std::uint32_t end = first + box.count;
  box.end_ns = begin_ns(end - 1) + clear_duration(end - 1);
  if (box.count == 1) return;
  const Aggregate sum =
      levels_.over(first, end, [this](std::uint32_t index) { return clear_duration(index); });
  box.ref.index = sum.longest;
  if (box.end_ns > box.begin_ns) {
    box.busy = static_cast<float>(static_cast<double>(sum.busy_ns) /
                                  static_cast<double>(box.end_ns - box.begin_ns));
  }
}

std::uint32_t Lane::groups_before(std::int64_t time_ns, std::uint32_t guess) const {
  const std::uint32_t count = group_begin_ns_.size();
  // All slices below `low` begin before the time, none from `high` on does. Gallop from the guess
  // until the result is between two known bounds, then bisect.
  std::uint32_t low = 0;
  std::uint32_t high = count;
  std::uint32_t probe = std::min(guess, count);
  for (std::uint32_t step = 1; probe < high && group_begin_ns_[probe] < time_ns; step *= 2) {
    low = probe + 1;
    probe = step < high - probe ? probe + step : high;
  }
  if (probe < high) high = probe;
  for (std::uint32_t step = 1; high > low; step *= 2) {
    probe = step < high - low ? high - step : low;
    if (group_begin_ns_[probe] < time_ns) {
      low = probe + 1;
      break;
    }
    high = probe;
  }
  while (low < high) {
    const std::uint32_t middle = low + (high - low) / 2;
    if (group_begin_ns_[middle] < time_ns) {
      low = middle + 1;
    } else {
      high = middle;
    }
  }
  return low;
}

std::uint32_t Lane::count_before(std::int64_t time_ns, std::uint32_t guess) const {
  const std::uint32_t groups = groups_before(time_ns, guess >> kGroupBits);
  if (groups == 0) return 0;
  // The result is in the last of these groups. Counting all its slices is faster than a bisection:
  // the end of a column cannot be predicted, and this loop has no branch that depends on it.
  const std::uint32_t first = (groups - 1) << kGroupBits;
  const std::uint32_t in_group = std::min(size_ - first, 1U << kGroupBits);
  const std::int64_t* begins = chunk_of(first).begin_ns.data() + within(first);
  std::uint32_t count = 0;
  for (std::uint32_t i = 0; i < in_group; ++i) count += begins[i] < time_ns ? 1 : 0;
  return first + count;
}

std::uint32_t Lane::at(std::int64_t time_ns) const {
  const std::uint32_t after = time_ns == std::numeric_limits<std::int64_t>::max()
                                  ? size_
                                  : count_before(time_ns + 1, size_ / 2);
  if (after == 0) return size_;
  const std::uint32_t last = after - 1;
  return time_ns < end_ns(last) || time_ns == begin_ns(last) ? last : size_;
}

std::vector<std::uint32_t> Lane::find(const std::vector<char>& wanted, std::size_t most) const {
  std::vector<std::uint32_t> found;
  const auto marked = [&wanted](base::StringId id) {
    return id < wanted.size() && wanted[id] != 0;
  };
  std::uint32_t index = 0;
  for (const auto& chunk : chunks_) {
    const std::uint32_t count = std::min(kChunkSize, size_ - index);
    for (std::uint32_t place = 0; place < count; ++place, ++index) {
      if (!marked(chunk->name[place]) && !marked(chunk->module[place])) continue;
      if (found.size() == most) return found;
      found.push_back(index);
    }
  }
  return found;
}

std::size_t Lane::bytes() const noexcept {
  return sizeof(Lane) + chunks_.capacity() * sizeof(chunks_.front()) +
         chunks_.size() * sizeof(Chunk) + group_begin_ns_.bytes() + levels_.bytes();
}

}  // namespace ts::trace
