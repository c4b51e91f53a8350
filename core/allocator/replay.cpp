#include "core/allocator/replay.h"

#include <algorithm>
#include <span>
#include <unordered_map>
#include <utility>

#include "core/allocator/replay_start.h"
#include "core/allocator/snapshot_figures.h"
#include "core/text/message.h"
#include "core/text/numbers.h"

namespace ts::allocator {
namespace {

// An "oom" with more free memory than this does not tell it.
constexpr std::uint64_t kMostFree = std::uint64_t{1} << 60;

bool gives_back(const TraceEntry& entry) {
  return entry.action == TraceAction::segment_free || entry.action == TraceAction::segment_unmap;
}
bool takes(const TraceEntry& entry) {
  return entry.action == TraceAction::segment_alloc || entry.action == TraceAction::segment_map;
}

// "11.73 GiB (12,593,397,760 bytes)"
std::string exact_size(std::int64_t bytes) {
  return text::bytes(bytes).joined() + " (" + text::grouped(bytes) + " B)";
}

constexpr const char* kDiffersAfterAllocation = "replay.difference.allocation";
constexpr const char* kDiffersAfterRelease = "replay.difference.release";

class Replayer {
 public:
  Replayer(const Snapshot& snapshot, std::size_t number, const PrivatePools& private_pools,
           ReplayStart start, RequestedBytes requested, ReplayResult& result)
      : snapshot_(snapshot),
        trace_(snapshot.device_traces[number]),
        private_pools_(private_pools),
        start_(std::move(start)),
        requested_(std::move(requested)),
        result_(result),
        allocator_(result.settings, device()) {}

  // Returns the number of events that have happened: `until`, a few more, or where it stopped.
  std::size_t run(bool start_anew, std::size_t until) {
    result_.events = trace_.size();
    private_bytes_ = result_.private_bytes = start_.private_reserved;
    recorded_ = result_.start_reserved = start_.reserved + start_.private_reserved;
    result_.recorded.peak_reserved = recorded_;
    allocator_.set_capacity(capacity());
    start_anew ? allocate_start() : seed_start();
    if (!start_anew) make_start_fit();
    allocator_.take_events();
    first_calls_ = allocator_.stats().segment_allocs;
    result_.simulated.peak_reserved = simulated();
    const std::size_t end = play_until(std::min(until, trace_.size()));
    result_.recorded.end_reserved = recorded_;
    result_.simulated.end_reserved = simulated();
    result_.simulated.segment_allocs = allocator_.stats().segment_allocs - first_calls_;
    const bool begun = !result_.simulated_oom || !result_.simulated_oom->before_recording;
    result_.simulated_peak_requested = begun ? requested_.peak() : allocator_.stats().requested;
    result_.odd_events = start_.odd_places + std::ranges::count(start_.odd_events, true);
    if (start_was_changed_) return end;
    result_.simulated.peak_reserved =
        std::max(result_.simulated.peak_reserved, allocator_.stats().peak_reserved);
    return end;
  }
  [[nodiscard]] std::vector<SegmentView> segments() const { return allocator_.segments(); }
  void empty_cache() { allocator_.empty_cache(); }
  [[nodiscard]] std::int64_t private_bytes() const { return private_bytes_; }

 private:
  [[nodiscard]] CachingAllocator::Device device() const {
    CachingAllocator::Device device;
    if (result_.capacity) device.capacity = *result_.capacity;
    device.total_memory = start_.total_memory();
    return device;
  }
  [[nodiscard]] std::int64_t simulated() const {
    return allocator_.stats().reserved + private_bytes_;
  }
  // The capacity that private pools leave to the other pools.
  [[nodiscard]] std::int64_t capacity() const {
    return result_.capacity ? *result_.capacity - private_bytes_ : AllocatorSettings::kUnlimited;
  }

  void seed_start();
  void allocate_start();
  void make_start_fit();
  void refuse(SimulatedRefusal refusal);
  void stop(SimulatedRefusal refusal);
  std::size_t play_until(std::size_t until);
  std::size_t play(std::size_t event);  // returns the event to continue with
  void play_private(std::size_t event);
  void play_alloc(std::size_t event);
  void play_free(std::size_t event);
  void play_oom(std::size_t event);
  std::size_t play_release(std::size_t event);
  void compare(std::size_t event, const char* differs);

  const Snapshot& snapshot_;
  std::span<const TraceEntry> trace_;
  const PrivatePools& private_pools_;
  ReplayStart start_;
  RequestedBytes requested_;
  ReplayResult& result_;
  CachingAllocator allocator_;
  std::unordered_map<std::uint64_t, std::uint64_t> places_;  // recorded address -> simulated one
  std::optional<std::uint64_t> taken_address_;  // of the segment for the next allocation
  std::int64_t recorded_ = 0;                   // reserved bytes
  std::int64_t private_bytes_ = 0;
  std::int64_t first_calls_ = 0;
  bool start_was_changed_ = false;  // the device had no room for it
};

void Replayer::seed_start() {
  for (const SegmentView& segment : start_.segments) allocator_.seed_segment(segment);
  for (const auto& reservation : start_.reservations) {
    allocator_.seed_expandable(reservation.address, reservation.size, reservation.ranges);
  }
  const auto keep = [this](const SegmentView& segment) {
    for (const auto& block : segment.blocks) {
      if (block.allocated) places_[block.address] = block.address;
    }
  };
  std::ranges::for_each(start_.segments, keep);
  for (const auto& reservation : start_.reservations) {
    std::ranges::for_each(reservation.ranges, keep);
  }
}

void Replayer::allocate_start() {
  const auto allocate = [this](const SegmentView& segment) {
    for (const auto& block : segment.blocks) {
      if (!block.allocated) continue;
      const std::int64_t bytes = block.requested > 0 ? block.requested : block.size;
      if (result_.stopped) return;
      if (const auto address = allocator_.allocate(bytes, segment.stream)) {
        places_[block.address] = *address;
      } else {
        stop({.before_recording = true, .bytes = bytes});
      }
    }
  };
  std::ranges::for_each(start_.segments, allocate);
  for (const auto& reservation : start_.reservations) {
    std::ranges::for_each(reservation.ranges, allocate);
  }
}

// On a device that is too small, memory that was only cached would have been released.
void Replayer::make_start_fit() {
  if (allocator_.stats().reserved <= capacity()) return;
  start_was_changed_ = true;
  allocator_.empty_cache();
  if (allocator_.stats().reserved <= capacity()) return;
  allocator_ = CachingAllocator(result_.settings, device());
  allocator_.set_capacity(capacity());
  places_.clear();
  allocate_start();
}

void Replayer::refuse(SimulatedRefusal refusal) {
  ++result_.simulated_ooms;
  if (!refusal.as_recorded) refusal.free = allocator_.free_space();
  if (!result_.simulated_oom) result_.simulated_oom = refusal;
}

void Replayer::stop(SimulatedRefusal refusal) {
  refuse(refusal);
  result_.stopped = true;
}

std::size_t Replayer::play_until(std::size_t until) {
  std::int64_t most = simulated();
  std::size_t event = 0;
  std::optional<std::size_t> stopped;
  // A segment that was taken belongs to the request after it.
  const auto goes_on = [&] { return taken_address_ && !stopped && event < trace_.size(); };
  while (event < until || goes_on()) {
    event = play(event);
    if (result_.stopped && !stopped) stopped = event;
    if (simulated() <= most) continue;
    most = simulated();
    result_.peak_position = event;
  }
  return stopped.value_or(event);
}

std::size_t Replayer::play(std::size_t event) {
  const TraceEntry& entry = trace_[event];
  if (private_pools_.holds(entry) && entry.action <= TraceAction::segment_unmap) {
    play_private(event);
    if (result_.stopped) return event + 1;
    if (entry.action == TraceAction::alloc) requested_.begin(entry.address, entry.size);
    if (entry.action == TraceAction::free_completed) requested_.end(entry.address);
    return event + 1;
  }
  if (gives_back(entry)) return play_release(event);
  if (takes(entry)) {
    if (!taken_address_) taken_address_ = entry.address;
    recorded_ += entry.size;
    ++result_.recorded.segment_allocs;
    result_.recorded.peak_reserved = std::max(result_.recorded.peak_reserved, recorded_);
  } else if (entry.action == TraceAction::alloc) {
    if (!result_.stopped) play_alloc(event);
  } else if (entry.action == TraceAction::free_completed) {
    if (!result_.stopped) play_free(event);
  } else if (entry.action == TraceAction::oom) {
    play_oom(event);
  }
  return event + 1;
}

void Replayer::play_private(std::size_t event) {
  const TraceEntry& entry = trace_[event];
  const std::int64_t bytes = takes(entry) ? entry.size : gives_back(entry) ? -entry.size : 0;
  recorded_ += bytes;
  if (takes(entry)) ++result_.recorded.segment_allocs;
  result_.recorded.peak_reserved = std::max(result_.recorded.peak_reserved, recorded_);
  if (result_.stopped) return;
  if (takes(entry)) {
    const auto no_room = [&] { return bytes > allocator_.free_space().outside; };
    if (result_.capacity && no_room()) allocator_.empty_cache();
    if (result_.capacity && no_room()) return stop({.event = event, .bytes = bytes});
    --first_calls_;  // also counted in the simulation
  }
  private_bytes_ += bytes;
  allocator_.set_capacity(capacity());
  result_.private_bytes = std::max(result_.private_bytes, private_bytes_);
  result_.simulated.peak_reserved = std::max(result_.simulated.peak_reserved, simulated());
}

void Replayer::play_alloc(std::size_t event) {
  const TraceEntry& entry = trace_[event];
  allocator_.set_next_address(std::exchange(taken_address_, std::nullopt));
  const auto address = allocator_.allocate(entry.size, snapshot_.stream_of(entry));
  allocator_.set_next_address(std::nullopt);
  if (!address) {
    compare(event, kDiffersAfterAllocation);
    stop({.event = event, .bytes = entry.size});
    return;
  }
  if (*address != entry.address) ++result_.other_addresses;
  const auto [place, fresh] = places_.insert_or_assign(entry.address, *address);
  if (!fresh) start_.odd_events[event] = true;
  requested_.begin(entry.address, entry.size);
  result_.simulated.peak_reserved = std::max(result_.simulated.peak_reserved, simulated());
  compare(event, kDiffersAfterAllocation);
}

void Replayer::play_free(std::size_t event) {
  const TraceEntry& entry = trace_[event];
  requested_.end(entry.address);
  const auto place = places_.find(entry.address);
  if (place == places_.end()) {
    start_.odd_events[event] = true;
    return;
  }
  allocator_.free(place->second);
  places_.erase(place);
}

void Replayer::play_oom(std::size_t event) {
  const TraceEntry& entry = trace_[event];
  taken_address_.reset();
  const bool known = entry.address <= kMostFree;
  const auto free = known ? static_cast<std::int64_t>(entry.address) : 0;
  result_.recorded_ooms.push_back({event, entry.size, free});
  if (result_.stopped) return;
  if (result_.as_recorded || entry.size <= 0 || !result_.capacity) {
    return refuse({.event = event,
                   .as_recorded = true,
                   .bytes = entry.size,
                   .free = allocator_.free_space(free)});
  }
  if (const auto address = allocator_.allocate(entry.size, snapshot_.stream_of(entry))) {
    result_.ooms_that_fit.push_back(event);
    allocator_.free(*address);
  } else {
    refuse({.event = event, .bytes = entry.size});
  }
}

// Handles all events of one empty_cache. Releases of the allocator before an out-of-memory error
// are not repeated if the simulation decides about them itself.
std::size_t Replayer::play_release(std::size_t event) {
  std::size_t end = event;
  for (; end < trace_.size() && gives_back(trace_[end]) && !private_pools_.holds(trace_[end]);
       ++end) {
    recorded_ -= trace_[end].size;
  }
  const bool before_oom = end < trace_.size() && trace_[end].action == TraceAction::oom;
  if (!result_.stopped && (result_.as_recorded || !before_oom)) {
    allocator_.empty_cache();
    compare(event, kDiffersAfterRelease);
  }
  return end;
}

void Replayer::compare(std::size_t event, const char* differs) {
  if (result_.first_difference || simulated() == recorded_) return;
  result_.first_difference =
      ReplayDifference{event, text::message(differs, {{"recorded", exact_size(recorded_)},
                                                      {"simulated", exact_size(simulated())}})};
}

// The device memory for segments when the recording first ran out of memory.
std::optional<std::int64_t> capacity_at_oom(std::span<const TraceEntry> trace,
                                            const PrivatePools& private_pools,
                                            std::int64_t reserved) {
  for (const TraceEntry& entry : trace) {
    if (takes(entry) && !private_pools.holds(entry)) reserved += entry.size;
    if (gives_back(entry) && !private_pools.holds(entry)) reserved -= entry.size;
    if (entry.action == TraceAction::oom && entry.address <= kMostFree) {
      return reserved + static_cast<std::int64_t>(entry.address);
    }
  }
  return std::nullopt;
}

// Bytes that live blocks of private pools asked for, after `position` events.
std::int64_t private_requested(const Snapshot& snapshot, std::size_t device,
                               const PrivatePools& private_pools, std::size_t position) {
  std::int64_t bytes = 0;
  for (const SnapshotSegment& segment : snapshot.segments) {
    if (segment.device != static_cast<std::int64_t>(device) || segment.pool == PoolId{}) continue;
    for (const SnapshotBlock& block : segment.blocks) {
      if (block.state == BlockState::inactive) continue;
      bytes += block.requested > 0 ? block.requested : block.size;
    }
  }
  const std::span<const TraceEntry> trace = snapshot.device_traces[device];
  for (std::size_t i = trace.size(); i > position; --i) {
    const TraceEntry& entry = trace[i - 1];
    const bool is_block =
        entry.action == TraceAction::alloc || entry.action == TraceAction::free_completed;
    if (!is_block || !private_pools.holds(entry)) continue;
    bytes += entry.action == TraceAction::alloc ? -entry.size : entry.size;
  }
  return bytes;
}

}  // namespace

bool reuses_memory(const Trace& trace) {
  const auto freed = std::ranges::find_if(
      trace, [](const TraceEntry& entry) { return entry.action == TraceAction::free_completed; });
  return std::any_of(freed, trace.end(), [](const TraceEntry& entry) {
    return entry.action == TraceAction::alloc || entry.action == TraceAction::oom;
  });
}

base::Result<ReplayResult> replay(const Snapshot& snapshot, std::size_t device,
                                  const ReplayOptions& options) {
  if (device >= snapshot.device_traces.size() || snapshot.device_traces[device].empty()) {
    return text::fail("replay_error.no_device", {{"device", std::to_string(device)}});
  }
  TS_TRY(const auto recorded, recorded_settings(snapshot));
  const PrivatePools private_pools(snapshot, device);
  TS_TRY(auto start, find_replay_start(snapshot, device, recorded, private_pools));

  ReplayResult result;
  result.settings = options.settings.value_or(recorded);
  const bool other_settings = result.settings != recorded;
  result.as_recorded = !other_settings && !options.capacity && !options.start_anew;
  result.capacity = options.capacity;
  const std::span<const TraceEntry> trace = snapshot.device_traces[device];
  if (!result.as_recorded && !result.capacity) {
    result.capacity = capacity_at_oom(trace, private_pools, start.reserved);
  }
  const bool start_anew = other_settings || options.start_anew;
  Replayer replayer(snapshot, device, private_pools, std::move(start),
                    RequestedBytes(snapshot, device), result);
  const std::size_t end = replayer.run(start_anew, options.until.value_or(trace.size()));
  if (!options.until) return result;
  const std::int64_t reserved = replayer.private_bytes();
  const std::int64_t requested = private_requested(snapshot, device, private_pools, end);
  auto segments = replayer.segments();
  replayer.empty_cache();
  result.moment = ReplayMoment{.position = end,
                               .segments = std::move(segments),
                               .emptied = replayer.segments(),
                               .private_reserved = reserved,
                               .private_requested = std::clamp<std::int64_t>(
                                   requested, 0, std::max<std::int64_t>(reserved, 0))};
  return result;
}

}  // namespace ts::allocator
