#include "core/allocator/what_if.h"

#include <algorithm>
#include <array>
#include <span>
#include <unordered_map>
#include <utility>

#include "core/allocator/caching_allocator.h"
#include "core/allocator/replay_start.h"

namespace ts::allocator {
namespace {

bool takes_memory(TraceAction action) {
  return action == TraceAction::segment_alloc || action == TraceAction::segment_map;
}
bool returns_memory(TraceAction action) {
  return action == TraceAction::segment_free || action == TraceAction::segment_unmap;
}

// Plays a list of requests once.
class Player {
 public:
  Player(const AllocatorSettings& settings, const CachingAllocator::Device& device)
      : allocator_(settings, device), settings_(settings), capacity_(device.capacity) {}

  Played play(const RequestList& list, bool then_empty_cache) {
    play(list.requests);
    if (then_empty_cache && !played_.refused) allocator_.empty_cache();
    played_.parts =
        reserved_parts(allocator_.segments(), settings_, list.asked, list.in_private_pools);
    const Played until_moment = played_;
    if (capacity_ != AllocatorSettings::kUnlimited) play(list.later);
    played_.served = until_moment.served;
    played_.peak_reserved = until_moment.peak_reserved;
    return played_;
  }

 private:
  void play(const std::vector<Request>& requests) {
    for (const Request& request : requests) {
      if (played_.refused) return;
      play(request);
      if (played_.refused) played_.refused_event = request.event;
    }
  }
  void play(const Request& request) {
    switch (request.kind) {
      case Request::Kind::alloc: {
        const auto address = allocator_.allocate(request.bytes, request.stream);
        played_.refused = !address;
        if (address) places_[request.block] = *address;
        break;
      }
      case Request::Kind::free:
        if (const auto place = places_.find(request.block); place != places_.end()) {
          allocator_.free(place->second);
          places_.erase(place);
        }
        break;
      case Request::Kind::empty_cache:
        allocator_.empty_cache();
        break;
      case Request::Kind::refused:
        if (const auto address = allocator_.allocate(request.bytes, request.stream)) {
          allocator_.free(*address);
          ++played_.served;
        }
        break;
      case Request::Kind::elsewhere:
        elsewhere_ += request.bytes;
        if (capacity_ != AllocatorSettings::kUnlimited)
          allocator_.set_capacity(capacity_ - elsewhere_);
        break;
    }
    const std::int64_t reserved = allocator_.stats().reserved + elsewhere_;
    played_.peak_reserved = std::max(played_.peak_reserved, reserved);
  }

  CachingAllocator allocator_;
  const AllocatorSettings& settings_;
  std::int64_t capacity_;
  std::int64_t elsewhere_ = 0;
  std::unordered_map<std::uint32_t, std::uint64_t> places_;  // of live blocks
  Played played_;
};

Played play(const RequestList& list, const AllocatorSettings& settings,
            const CachingAllocator::Device& device, bool then_empty_cache = false) {
  return Player(settings, device).play(list, then_empty_cache);
}

// The same requests, those of the blocks that live after the last one first.
RequestList with_kept_first(const RequestList& list) {
  std::unordered_map<std::uint32_t, std::size_t> live;  // block -> its allocation
  for (std::size_t i = 0; i < list.requests.size(); ++i) {
    const Request& request = list.requests[i];
    if (request.kind == Request::Kind::alloc) live[request.block] = i;
    if (request.kind == Request::Kind::free) live.erase(request.block);
  }
  std::vector<bool> kept(list.requests.size());
  for (const auto& [block, place] : live) kept[place] = true;
  RequestList ordered = list;
  ordered.requests.clear();
  // Numbers that no other block has.
  const std::size_t fresh = list.requests.size() + list.later.size();
  for (const bool first : {true, false}) {
    for (std::size_t i = 0; i < list.requests.size(); ++i) {
      if (kept[i] != first) continue;
      Request request = list.requests[i];
      if (first) request.block = static_cast<std::uint32_t>(fresh + i);
      ordered.requests.push_back(request);
    }
  }
  for (Request& request : ordered.later) {
    const auto place = live.find(request.block);
    if (request.kind > Request::Kind::free || place == live.end()) continue;
    if (request.kind == Request::Kind::free)
      request.block = static_cast<std::uint32_t>(fresh + place->second);
    live.erase(place);
  }
  return ordered;
}

// All changes of one list.
class Changes {
 public:
  // `emptied`: after empty_cache() at the moment, where that is known without a replay.
  explicit Changes(const RequestList& list, std::optional<Played> emptied = std::nullopt)
      : list_(list), unchanged_(play(list, list.settings, list.device)), emptied_(emptied) {}

  std::vector<WhatIf> make() {
    add({.kind = WhatIf::Kind::unchanged, .played = unchanged_});
    add_expandable();
    add_split_sizes();
    add_divisions();
    add_garbage();
    add({.kind = WhatIf::Kind::empty_cache,
         .played = emptied_ ? *emptied_ : play(list_, list_.settings, list_.device, true)});
    add({.kind = WhatIf::Kind::kept_first,
         .played = play(with_kept_first(list_), list_.settings, list_.device)});
    return std::move(made_);
  }

 private:
  void add(WhatIf made) { made_.push_back(std::move(made)); }
  void add_with(WhatIf::Kind kind, std::string setting, bool taken_away,
                const AllocatorSettings& settings) {
    add({kind, std::move(setting), taken_away, play(list_, settings, list_.device)});
  }

  void add_expandable() {
    AllocatorSettings settings = list_.settings;
    const bool was_on = settings.expandable_segments;
    settings.expandable_segments = !was_on;
    add_with(WhatIf::Kind::expandable, was_on ? "expandable_segments" : "expandable_segments:True",
             was_on, settings);
  }
  void add_split_sizes() {
    AllocatorSettings settings = list_.settings;
    if (settings.max_split_size != AllocatorSettings::kUnlimited) {
      settings.max_split_size = AllocatorSettings::kUnlimited;
      return add_with(WhatIf::Kind::split_size, "max_split_size_mb", true, settings);
    }
    for (const std::int64_t size : {128, 512}) {
      settings.max_split_size = size << 20;
      add_with(WhatIf::Kind::split_size, "max_split_size_mb:" + std::to_string(size), false,
               settings);
    }
  }
  void add_divisions() {
    AllocatorSettings settings = list_.settings;
    const bool was_on =
        settings.roundup_power2_divisions != AllocatorSettings{}.roundup_power2_divisions;
    settings.roundup_power2_divisions.fill(was_on ? 0 : 8);
    add_with(WhatIf::Kind::divisions,
             was_on ? "roundup_power2_divisions" : "roundup_power2_divisions:8", was_on, settings);
  }
  void add_garbage() {
    AllocatorSettings settings = list_.settings;
    if (settings.garbage_collection_threshold > 0) {
      settings.garbage_collection_threshold = 0;
      return add_with(WhatIf::Kind::garbage, "garbage_collection_threshold", true, settings);
    }
    if (settings.expandable_segments) return;
    settings.garbage_collection_threshold = 0.8;
    CachingAllocator::Device device = list_.device;
    const bool known = device.capacity != AllocatorSettings::kUnlimited;
    device.total_memory = known ? device.capacity : unchanged_.peak_reserved;
    device.memory_fraction = 1;
    add({WhatIf::Kind::garbage, "garbage_collection_threshold:0.8", false,
         play(list_, settings, device)});
  }

  const RequestList& list_;
  Played unchanged_;
  std::optional<Played> emptied_;
  std::vector<WhatIf> made_;
};

// Makes the requests of a trace.
class Reader {
 public:
  Reader(const Snapshot& snapshot, std::size_t device, const PrivatePools& private_pools)
      : snapshot_(snapshot),
        trace_(snapshot.device_traces[device]),
        private_pools_(private_pools) {}

  void add_start(const ReplayStart& start) {
    if (start.private_reserved > 0) add(Request::Kind::elsewhere, start.private_reserved, 0);
    for (const SegmentView& segment : start.segments) add_blocks(segment);
    for (const auto& reservation : start.reservations) {
      for (const SegmentView& range : reservation.ranges) add_blocks(range);
    }
  }
  // The requests from `event_` on until `position`.
  std::vector<Request> read(std::size_t position) {
    while (event_ < position) event_ = read_event(event_);
    return std::exchange(requests_, {});
  }

 private:
  void add(Request::Kind kind, std::int64_t bytes, std::int64_t stream) {
    requests_.push_back({.kind = kind, .bytes = bytes, .stream = stream, .event = number_});
  }
  void add_alloc(std::uint64_t address, std::int64_t bytes, std::int64_t stream) {
    places_[address] = next_;
    requests_.push_back({.kind = Request::Kind::alloc,
                         .block = next_++,
                         .bytes = bytes,
                         .stream = stream,
                         .event = number_});
  }
  void add_blocks(const SegmentView& segment) {
    for (const auto& block : segment.blocks) {
      if (!block.allocated) continue;
      const std::int64_t bytes = block.requested > 0 ? block.requested : block.size;
      add_alloc(block.address, bytes, segment.stream);
    }
  }
  std::size_t read_event(std::size_t event) {
    const TraceEntry& entry = trace_[event];
    number_ = static_cast<std::int64_t>(event);
    if (private_pools_.holds(entry) && entry.action <= TraceAction::segment_unmap) {
      if (takes_memory(entry.action)) add(Request::Kind::elsewhere, entry.size, 0);
      if (returns_memory(entry.action)) add(Request::Kind::elsewhere, -entry.size, 0);
    } else if (returns_memory(entry.action)) {
      return read_release(event);
    } else if (entry.action == TraceAction::alloc) {
      add_alloc(entry.address, entry.size, snapshot_.stream_of(entry));
    } else if (entry.action == TraceAction::free_completed) {
      const auto place = places_.find(entry.address);
      if (place == places_.end()) return event + 1;
      requests_.push_back({.kind = Request::Kind::free, .block = place->second, .event = number_});
      places_.erase(place);
    } else if (entry.action == TraceAction::oom && entry.size > 0) {
      add(Request::Kind::refused, entry.size, snapshot_.stream_of(entry));
    }
    return event + 1;
  }
  std::size_t read_release(std::size_t event) {
    std::size_t end = event;
    while (end < trace_.size() && returns_memory(trace_[end].action) &&
           !private_pools_.holds(trace_[end])) {
      ++end;
    }
    const bool before_oom = end < trace_.size() && trace_[end].action == TraceAction::oom;
    if (!before_oom) add(Request::Kind::empty_cache, 0, 0);
    return end;
  }

  const Snapshot& snapshot_;
  std::span<const TraceEntry> trace_;
  const PrivatePools& private_pools_;
  std::vector<Request> requests_;
  std::unordered_map<std::uint64_t, std::uint32_t> places_;
  std::uint32_t next_ = 0;
  std::size_t event_ = 0;     // the next to read
  std::int64_t number_ = -1;  // the event that is read
};

// The request at the event before `position`, else the next one, else the last one.
void find_asked(const Snapshot& snapshot, std::size_t device, const PrivatePools& private_pools,
                std::size_t position, ReservedAnswer& answer) {
  const std::span<const TraceEntry> trace = snapshot.device_traces[device];
  const auto asks = [&](std::size_t i) {
    const TraceEntry& entry = trace[i];
    const bool wants = entry.action == TraceAction::alloc || entry.action == TraceAction::oom;
    return wants && entry.size > 0 &&
           (entry.action == TraceAction::oom || !private_pools.holds(entry));
  };
  std::size_t found = trace.size();
  if (position > 0 && asks(position - 1)) found = position - 1;
  for (std::size_t i = position; found == trace.size() && i < trace.size(); ++i) {
    if (asks(i)) found = i;
  }
  for (std::size_t i = position; found == trace.size() && i > 0; --i) {
    if (asks(i - 1)) found = i - 1;
  }
  if (found == trace.size()) return;
  answer.asked = Asked{trace[found].size, snapshot.stream_of(trace[found])};
  answer.asked_next = found >= position;
}

// Where a moment is asked for that nobody chose.
std::size_t position_of_frame(const ReplayResult& result) {
  if (result.simulated_oom) {
    return result.simulated_oom->before_recording ? 0 : result.simulated_oom->event + 1;
  }
  if (!result.recorded_ooms.empty()) return result.recorded_ooms.front().event + 1;
  return result.peak_position;
}

}  // namespace

std::vector<WhatIf> what_ifs(const RequestList& list) {
  return Changes(list).make();
}

std::string_view to_string(WhatIf::Kind kind) {
  constexpr std::array<std::string_view, 7> kNames{
      "unchanged", "expandable", "split_size", "divisions", "garbage", "empty_cache", "kept_first"};
  return kNames[static_cast<std::size_t>(kind)];
}

namespace {

// The change after which `bytes` of the parts are fewest; nullptr: none counts.
template <class Bytes>
const WhatIf* fewest(const std::vector<WhatIf>& what_ifs, const ReservedParts& now,
                     const Bytes& bytes) {
  const WhatIf* unchanged = unchanged_of(what_ifs);
  const std::int64_t here = bytes(now);
  const std::int64_t anew = unchanged == nullptr ? here : bytes(unchanged->played.parts);
  const auto counts = [&](const WhatIf& one) {
    const std::int64_t then = bytes(one.played.parts);
    if (one.kind == WhatIf::Kind::empty_cache) return then < here;
    return then < here && anew - then > std::abs(here - anew);
  };
  const auto rank = [&](const WhatIf& one) {
    return std::pair(bytes(one.played.parts), one.played.parts.reserved);
  };
  const WhatIf* best = nullptr;
  for (const WhatIf& one : what_ifs) {
    if (one.played.refused || !counts(one)) continue;
    if (best == nullptr || rank(one) < rank(*best)) best = &one;
  }
  return best;
}

// Whether the list holds what makes the changes known at this moment.
ReservedAnswer::Unanswered unanswered_at(const Trace& trace, const ReplayResult& result) {
  if (!reuses_memory(trace)) return ReservedAnswer::Unanswered::too_short;
  if (result.start_reserved == 0 || result.stopped) return ReservedAnswer::Unanswered::nothing;
  const std::span<const TraceEntry> until(trace.data(), result.moment->position);
  const bool took = std::ranges::any_of(
      until, [](const TraceEntry& entry) { return takes_memory(entry.action); });
  return took ? ReservedAnswer::Unanswered::nothing : ReservedAnswer::Unanswered::from_before;
}

}  // namespace

const WhatIf* unchanged_of(const std::vector<WhatIf>& what_ifs) {
  const auto found = std::ranges::find(what_ifs, WhatIf::Kind::unchanged, &WhatIf::kind);
  return found == what_ifs.end() ? nullptr : &*found;
}

const WhatIf* best_for(const std::vector<WhatIf>& what_ifs, const ReservedParts& now,
                       ReservedPart part) {
  return fewest(what_ifs, now, [part](const ReservedParts& parts) { return parts[part]; });
}

const WhatIf* best_of(const std::vector<WhatIf>& what_ifs, const ReservedParts& now) {
  return fewest(what_ifs, now, [](const ReservedParts& parts) { return parts.reserved; });
}

namespace {

// The moment's own segments after empty_cache().
Played emptied_at(const ReplayMoment& moment, const RequestList& list,
                  const ReservedAnswer& answer) {
  Played played;
  played.peak_reserved = answer.peak_reserved;
  played.parts = reserved_parts(moment.emptied, list.settings, list.asked, list.in_private_pools);
  played.refused = answer.refused.has_value() && !answer.refused->as_recorded;
  if (played.refused && !answer.refused->before_recording)
    played.refused_event = static_cast<std::int64_t>(answer.refused->event);
  return played;
}

// The settings and the device of the recording, without requests.
RequestList list_at(const Snapshot& snapshot, std::size_t device, const ReplayOptions& options,
                    const ReplayResult& result, const ReplayStart& start) {
  ReplayOptions beginning = options;
  beginning.start_anew = true;
  beginning.until = 0;
  // The capacity is known if the recording ran out.
  const auto anew = replay(snapshot, device, beginning);
  RequestList list;
  list.settings = result.settings;
  if (anew && anew->capacity) list.device.capacity = *anew->capacity;
  list.device.total_memory = start.total_memory();
  list.in_private_pools = {result.moment->private_reserved, result.moment->private_requested};
  return list;
}

}  // namespace

base::Result<ReservedAnswer> explain_reserved(const Snapshot& snapshot, std::size_t device,
                                              const ReplayOptions& options,
                                              std::optional<std::size_t> position) {
  TS_TRY(const auto whole, replay(snapshot, device, options));
  ReplayOptions wanted = options;
  wanted.until = position.value_or(position_of_frame(whole));
  TS_TRY(const auto result, replay(snapshot, device, wanted));
  const ReplayMoment& moment = *result.moment;
  const PrivatePools private_pools(snapshot, device);
  const auto recorded = recorded_settings(snapshot);
  const auto start = find_replay_start(snapshot, device, *recorded, private_pools);

  ReservedAnswer answer;
  answer.position = moment.position;
  answer.peak_reserved = result.simulated.peak_reserved;
  answer.refused = whole.simulated_oom;
  answer.unanswered = unanswered_at(snapshot.device_traces[device], result);
  find_asked(snapshot, device, private_pools, moment.position, answer);
  RequestList list = list_at(snapshot, device, options, result, *start);
  list.asked = answer.asked;
  answer.parts = reserved_parts(moment.segments, list.settings, list.asked, list.in_private_pools);
  const Played emptied = emptied_at(moment, list, answer);
  if (answer.unanswered != ReservedAnswer::Unanswered::nothing) {
    answer.what_ifs = {{.kind = WhatIf::Kind::empty_cache, .played = emptied}};
    return answer;
  }
  Reader reader(snapshot, device, private_pools);
  reader.add_start(*start);
  list.requests = reader.read(moment.position);
  list.later = reader.read(snapshot.device_traces[device].size());
  answer.what_ifs = Changes(list, emptied).make();
  return answer;
}

base::Result<std::vector<SettingTrial>> try_split_sizes(const Snapshot& snapshot,
                                                        std::size_t device) {
  constexpr std::array<std::int64_t, 2> kSizes{128, 512};  // MiB
  std::vector<SettingTrial> trials;
  TS_TRY(auto recorded, recorded_settings(snapshot));
  for (const std::int64_t size : kSizes) {
    ReplayOptions options;
    options.settings = recorded;
    options.settings->max_split_size = size << 20;
    options.start_anew = true;
    if (options.settings->max_split_size == recorded.max_split_size) continue;
    TS_TRY(const auto result, replay(snapshot, device, options));
    trials.push_back({.setting = "max_split_size_mb:" + std::to_string(size),
                      .refused = result.simulated_ooms,
                      .peak_reserved = result.simulated.peak_reserved});
  }
  return trials;
}

}  // namespace ts::allocator
