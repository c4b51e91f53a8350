#include "core/snapshot/document.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>
#include <limits>
#include <utility>

#include "core/base/check.h"
#include "core/base/memory_pages.h"

namespace ts::snapshot {

Document::Value Document::wide(Tag tag, std::uint64_t bits) {
  wide_.push_back(bits);
  return Value(((wide_.size() - 1) << kTagBits) | tag);
}

Document::Value Document::integer(std::int64_t value) {
  constexpr std::int64_t kSmall = std::int64_t{1} << 59;
  const auto bits = static_cast<std::uint64_t>(value);
  if (value >= -kSmall && value < kSmall) return Value((bits << kTagBits) | kSmallInteger);
  return wide(kSignedInteger, bits);
}

Document::Value Document::unsigned_integer(std::uint64_t value) {
  constexpr auto kMost = static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max());
  return value <= kMost ? integer(static_cast<std::int64_t>(value)) : wide(kUnsignedInteger, value);
}

Document::Value Document::real(double value) {
  return wide(kReal, std::bit_cast<std::uint64_t>(value));
}

Document::Value Document::text(std::string_view text) {
  constexpr std::size_t kBlock = std::size_t{1} << 16U;
  if (text.size() > free_letters_.size()) {
    const std::size_t size = std::max(kBlock, text.size());
    free_letters_ = {letters_.emplace_back(std::make_unique_for_overwrite<char[]>(size)).get(),
                     size};
    letter_bytes_ += size;
  }
  std::ranges::copy(text, free_letters_.begin());
  texts_.emplace_back(free_letters_.data(), text.size());
  free_letters_ = free_letters_.subspan(text.size());
  return Value(((texts_.size() - 1) << kTagBits) | kText);
}

Document::Value Document::container(Tag tag) {
  const auto index = static_cast<std::uint32_t>(containers_.size());
  TS_CHECK(containers_.size() < kEnd);
  containers_.push_back({0, 0, kEnd, index});
  return Value((std::uint64_t{index} << kTagBits) | tag);
}

bool Document::is_event_run(std::span<const Value> items) {
  if (tag(items.front()) != kEvent) return false;
  std::uint64_t next = items.front().bits_;
  return std::ranges::all_of(items, [&next](Value item) {
    return item.bits_ == std::exchange(next, next + (kTagMask + 1));
  });
}

void Document::append(Value to, std::span<const Value> items) {
  // More than a run holds.
  for (; items.size() > kMostOfARun; items = items.subspan(kMostOfARun))
    append(to, items.first(kMostOfARun));
  if (items.empty()) return;
  TS_CHECK(pool_.size() + items.size() < kEnd);
  if (tag(to) != kDict) {
    const auto count = static_cast<std::uint32_t>(items.size());
    if (is_event_run(items)) return add_stretch(to, index(items.front()), count | kEventRun);
    return add_stretch(to, store(items), count);
  }
  const std::size_t count = items.size() / 2;
  keys_.clear();
  for (std::size_t i = 0; i < count; ++i) keys_.push_back(items[2 * i]);
  const Value keys(std::uint64_t{store(keys_)} << kTagBits);
  const auto begin = static_cast<std::uint32_t>(pool_.size());
  pool_.push_back(keys);
  for (std::size_t i = 0; i < count; ++i) pool_.push_back(items[2 * i + 1]);
  add_stretch(to, begin, static_cast<std::uint32_t>(count));
}

std::uint32_t Document::store(std::span<const Value> items) {
  const auto equal = [&](std::uint32_t begin) {
    return std::memcmp(items.data(), pool_.data() + begin, items.size_bytes()) == 0;
  };
  const std::uint64_t hash =
      RunIndex::hash_of(items.size(), [&](std::size_t i) { return items[i].bits_; });
  const auto end = static_cast<std::uint32_t>(pool_.size());
  const std::uint32_t begin =
      runs_.find_or_add(hash, static_cast<std::uint32_t>(items.size()), end, equal);
  if (begin == end) pool_.insert(pool_.end(), items.begin(), items.end());
  return begin;
}

void Document::add_stretch(Value to, std::uint32_t begin, std::uint32_t count) {
  const std::uint32_t first = index(to);
  Stretch& last = containers_[containers_[first].last];
  const std::uint32_t items = count & ~kEventRun;
  const bool goes_on = tag(to) == kList && last.begin + last.items() == begin &&
                       last.are_events() == ((count & kEventRun) != 0) &&
                       std::size_t{last.items()} + items <= kMostOfARun;
  if (last.count == 0) {
    last.begin = begin;
    last.count = count;
  } else if (goes_on) {
    last.count += items;
  } else {
    const auto added = static_cast<std::uint32_t>(containers_.size());
    last.next = added;
    containers_[first].last = added;
    containers_.push_back({begin, count, kEnd, added});
  }
}

Document::Value Document::same_list(Value list) {
  const Stretch same = containers_[index(list)];
  TS_CHECK(same.next == kEnd);
  const Value made = this->list();
  containers_.back().begin = same.begin;
  containers_.back().count = same.count;
  return made;
}

Document::Value Document::own_frames(Value frames_of_event) {
  const std::size_t event = index(frames_of_event);
  if (event >= events_.size()) return Value::absent();
  const Value own = same_list(Value((std::uint64_t{events_[event].stack} << kTagBits) | kList));
  events_[event].stack = index(own);
  return own;
}

Document::Value Document::event(const Event& event) {
  TS_CHECK(events_.size() < kEnd);
  const bool stacked = kind(event.frames) == Kind::list;
  allocator::TraceEntry& packed = events_.emplace_back();
  packed.address = event.address;
  packed.size = event.size;
  packed.time_us = event.time_us;
  packed.stack = stacked ? index(event.frames) : kEnd;
  packed.notes = event.rest & kMostRests;
  return event_value(events_.size() - 1);
}

std::uint32_t Document::event_rest(const EventRest& rest) {
  // Events of one action have the same rest, nearly always.
  std::uint32_t& last = last_rests_[index(rest.action) % last_rests_.size()];
  if (last >= rests_.size() || rests_[last] != rest) last = find_rest(rest);
  return last;
}

std::uint32_t Document::find_rest(const EventRest& rest) {
  const std::array<std::uint64_t, 6> bits = {
      rest.action.bits_,        rest.compile_context.bits_,
      rest.user_metadata.bits_, rest.category.bits_,
      rest.pool.bits_,          static_cast<std::uint64_t>(rest.stream)};
  const std::uint64_t hash = RunIndex::hash_of(bits.size(), [&](std::size_t i) { return bits[i]; });
  std::uint32_t& place = rest_places_[hash % rest_places_.size()];
  if (place == 0 || rests_[place - 1] != rest) {
    TS_CHECK(rests_.size() <= kMostRests);
    rests_.push_back(rest);
    place = static_cast<std::uint32_t>(rests_.size());
  }
  return place - 1;
}

std::size_t Document::item_count(Value container) const {
  std::size_t count = 0;
  for (std::uint32_t at = index(container); at != kEnd; at = containers_[at].next) {
    count += containers_[at].items();
  }
  return count;
}

std::optional<Document::Items> Document::items_of(Value list) const {
  const Stretch& only = containers_[index(list)];
  if (only.next != kEnd || only.count == 0 || only.are_events()) return std::nullopt;
  return Items{only.begin, only.count};
}

std::optional<std::uint64_t> Document::shared_items(Value list) const {
  const auto items = items_of(list);
  if (!items) return std::nullopt;
  return (std::uint64_t{items->begin} << 32U) | items->count;
}

std::size_t Document::bytes() const {
  return pool_.size() * sizeof(Value) + containers_.size() * sizeof(Stretch) +
         texts_.size() * sizeof(std::string_view) + wide_.size() * sizeof(std::uint64_t) +
         events_.size() * sizeof(allocator::TraceEntry) + rests_.size() * sizeof(EventRest) +
         runs_.bytes() + letter_bytes_;
}

Document::Kind Document::kind(Value value) {
  switch (tag(value)) {
    case kBoolean:
      return Kind::boolean;
    case kSmallInteger:
    case kSignedInteger:
    case kUnsignedInteger:
    case kLowInteger:
      return Kind::integer;
    case kReal:
      return Kind::real;
    case kText:
      return Kind::text;
    case kList:
      return Kind::list;
    case kDict:
      return Kind::dict;
    case kEvent:
      return Kind::event;
    default:
      return Kind::none;
  }
}

const char* Document::kind_name(Value value) {
  constexpr std::array<const char*, 8> kNames = {
      "nothing", "true or false", "a whole number", "a number",
      "a text",  "a list",        "a dictionary",   "an event of a trace"};
  return kNames[static_cast<std::size_t>(kind(value))];
}

std::optional<bool> Document::as_boolean(Value value) {
  if (tag(value) != kBoolean) return std::nullopt;
  return index(value) != 0;
}

std::optional<std::int64_t> Document::as_integer(Value value) const {
  if (tag(value) == kSmallInteger) return static_cast<std::int64_t>(value.bits_) >> kTagBits;
  if (tag(value) == kSignedInteger) return static_cast<std::int64_t>(wide_[index(value)]);
  return std::nullopt;
}

std::optional<std::uint64_t> Document::as_unsigned(Value value) const {
  if (tag(value) == kUnsignedInteger) return wide_[index(value)];
  const auto number = as_integer(value);
  if (!number || *number < 0) return std::nullopt;
  return static_cast<std::uint64_t>(*number);
}

std::optional<std::uint64_t> Document::as_address(Value value) const {
  if (tag(value) == kLowInteger) return wide_[index(value)];
  if (const auto number = as_integer(value)) return static_cast<std::uint64_t>(*number);
  return as_unsigned(value);
}

std::optional<double> Document::as_real(Value value) const {
  if (tag(value) == kReal) return std::bit_cast<double>(wide_[index(value)]);
  if (tag(value) == kUnsignedInteger) return static_cast<double>(wide_[index(value)]);
  if (const auto number = as_integer(value)) return static_cast<double>(*number);
  return std::nullopt;
}

void Document::drop_events_before(Value event) {
  const std::size_t end = std::max<std::size_t>(index(event), dropped_events_);
  base::drop_pages(events_.data() + dropped_events_,
                   (end - dropped_events_) * sizeof(allocator::TraceEntry));
  dropped_events_ = end;
}

std::optional<std::string_view> Document::as_text(Value value) const {
  if (tag(value) != kText) return std::nullopt;
  return texts_[index(value)];
}

}  // namespace ts::snapshot
