#include "core/allocator/replay_ranges.h"

#include <algorithm>
#include <iterator>

namespace ts::allocator {

MappedRanges::Map::const_iterator MappedRanges::find(std::uint64_t address) const {
  const auto after = ranges_.upper_bound(address);
  if (after == ranges_.begin()) return ranges_.end();
  const auto range = std::prev(after);
  return address < end_of(range) ? range : ranges_.end();
}

const MappedRange* MappedRanges::at(std::uint64_t address) const {
  const auto range = find(address);
  return range == ranges_.end() ? nullptr : &range->second;
}

std::uint64_t MappedRanges::end_of_range_at(std::uint64_t address) const {
  const auto range = find(address);
  return range == ranges_.end() ? 0 : end_of(range);
}

bool MappedRanges::add(std::uint64_t address, const MappedRange& range) {
  const std::uint64_t end = address + static_cast<std::uint64_t>(range.size);
  const auto after = ranges_.lower_bound(address);
  if (after != ranges_.end() && after->first < end) return false;
  if (after != ranges_.begin() && end_of(std::prev(after)) > address) return false;
  auto added = ranges_.emplace_hint(after, address, range);
  if (const auto next = std::next(added);
      next != ranges_.end() && next->first == end && one_kind(added->second, next->second)) {
    added->second.size += next->second.size;
    ranges_.erase(next);
  }
  if (added == ranges_.begin()) return true;
  const auto previous = std::prev(added);
  if (end_of(previous) == address && one_kind(previous->second, added->second)) {
    previous->second.size += added->second.size;
    ranges_.erase(added);
  }
  return true;
}

bool MappedRanges::remove(std::uint64_t address, std::int64_t size) {
  const auto found = find(address);
  if (found == ranges_.end()) return false;
  const std::uint64_t begin = found->first;
  const std::uint64_t end = end_of(found);
  const std::uint64_t removed_end = address + static_cast<std::uint64_t>(size);
  if (removed_end > end) return false;
  MappedRange range = found->second;
  if (!range.expandable && (begin != address || end != removed_end)) return false;
  ranges_.erase(found);
  const auto keep = [&](std::uint64_t from, std::uint64_t to) {
    if (from == to) return;
    range.size = static_cast<std::int64_t>(to - from);
    ranges_.emplace(from, range);
  };
  keep(begin, address);
  keep(removed_end, end);
  return true;
}

void MappedRanges::note(std::uint64_t address, const MappedRange& range) {
  MappedRange& noted = noted_.try_emplace(address, range).first->second;
  noted.size = std::max(noted.size, range.size);
}

std::optional<bool> MappedRanges::small_pool_near(std::uint64_t address,
                                                  std::int64_t stream) const {
  const auto fits = [stream](const MappedRange& range) {
    return range.expandable && range.stream == stream;
  };
  const auto after = noted_.lower_bound(address);
  const bool has_after = after != noted_.end() && fits(after->second);
  const bool has_before = after != noted_.begin() && fits(std::prev(after)->second);
  if (!has_after && !has_before) return std::nullopt;
  if (!has_before) return after->second.small_pool;
  const auto before = std::prev(after);
  if (!has_after) return before->second.small_pool;
  return address - before->first <= after->first - address ? before->second.small_pool
                                                           : after->second.small_pool;
}

std::pair<std::uint64_t, std::uint64_t> MappedRanges::stretch_of(std::uint64_t address) const {
  const auto after = noted_.upper_bound(address);
  if (after == noted_.begin()) return {address, address};
  auto first = std::prev(after);
  auto last = first;
  while (first != noted_.begin() && one_kind(std::prev(first)->second, first->second)) --first;
  std::uint64_t end = end_of(last);
  while (std::next(last) != noted_.end() && one_kind(std::next(last)->second, last->second)) ++last;
  for (auto range = first; range != std::next(last); ++range) end = std::max(end, end_of(range));
  return {first->first, end};
}

std::int64_t MappedRanges::reservation_size() const {
  constexpr std::int64_t kMost = std::int64_t{1} << 41;
  constexpr std::int64_t kPage = std::int64_t{20} << 20;  // of the large pool
  std::int64_t least = 0;
  std::int64_t most = kMost;
  for (auto range = noted_.begin(); range != noted_.end();) {
    if (!range->second.expandable) {
      ++range;
      continue;
    }
    const auto [begin, end] = stretch_of(range->first);
    const MappedRange& kind = range->second;
    while (range != noted_.end() && one_kind(range->second, kind)) ++range;
    least = std::max(least, static_cast<std::int64_t>(end - begin));
    if (range == noted_.end()) continue;
    most = std::min(most, static_cast<std::int64_t>(range->first - begin));
  }
  return least == 0 ? 0 : std::max(least, most / kPage * kPage);
}

}  // namespace ts::allocator
