#include "core/trace/trace_store.h"

#include <algorithm>
#include <limits>

#include "core/base/check.h"
#include "core/base/letters.h"
#include "core/trace/flow_index.h"
#include "core/trace/lane.h"

namespace ts::trace {

namespace {

// Marks, by id, the strings of the table that contain `text`, ASCII case ignored. Empty if no
// string matches or `text` is empty.
std::vector<char> ids_containing(const base::StringTable& strings, std::string_view text) {
  if (text.empty()) return {};
  const std::uint32_t count = strings.size();
  std::vector<char> wanted(count, 0);
  bool any = false;
  for (base::StringId id = 0; id < count; ++id) {
    if (!base::contains_letters(strings.view(id), text)) continue;
    wanted[id] = 1;
    any = true;
  }
  if (!any) wanted.clear();
  return wanted;
}

}  // namespace

struct TraceStore::Impl {
  std::vector<Track> tracks;
  std::vector<std::vector<std::unique_ptr<Lane>>> lanes;  // by track and depth
  FlowIndex flows;
  base::TimeRange range;
  std::uint64_t slices = 0;
  std::uint64_t disordered = 0;

  [[nodiscard]] const Lane* lane(TrackId track, std::uint16_t depth) const {
    if (track >= lanes.size() || depth >= lanes[track].size()) return nullptr;
    return lanes[track][depth].get();
  }
  [[nodiscard]] const Lane& lane_of(SliceRef ref) const {
    const Lane* found = lane(ref.track, ref.depth);
    TS_CHECK(found != nullptr && ref.index < found->size());
    return *found;
  }
  Lane& grow(TrackId track, std::uint16_t depth) {
    TS_CHECK(track < lanes.size());
    auto& depths = lanes[track];
    while (depths.size() <= depth) depths.push_back(std::make_unique<Lane>());
    return *depths[depth];
  }
  // True if one of the two is nested in the other on the same track.
  [[nodiscard]] bool nested(SliceRef one, SliceRef other) const {
    if (one.track != other.track || one.depth == other.depth) return false;
    const SliceRef outer = one.depth < other.depth ? one : other;
    const SliceRef inner = one.depth < other.depth ? other : one;
    const Lane& outer_lane = lane_of(outer);
    const Lane& inner_lane = lane_of(inner);
    return outer_lane.begin_ns(outer.index) <= inner_lane.begin_ns(inner.index) &&
           inner_lane.end_ns(inner.index) <= outer_lane.end_ns(outer.index);
  }
  void link(std::uint32_t flow, SliceRef ref) {
    FlowIndex::Ends& ends = flows.ends(flow);
    for (SliceRef* end : {&ends.first, &ends.second}) {
      if (*end == FlowIndex::kNowhere) {
        *end = ref;
        return;
      }
      if (nested(*end, ref)) {
        if (ref.depth > end->depth) *end = ref;
        return;
      }
    }
  }
};

TraceStore::TraceStore() : impl_(std::make_unique<Impl>()) {}
TraceStore::~TraceStore() = default;
TraceStore::TraceStore(TraceStore&&) noexcept = default;
TraceStore& TraceStore::operator=(TraceStore&&) noexcept = default;

TrackId TraceStore::add_track(Track track) {
  TS_CHECK(impl_->tracks.size() <= std::numeric_limits<TrackId>::max());
  impl_->tracks.push_back(std::move(track));
  impl_->lanes.emplace_back();
  return static_cast<TrackId>(impl_->tracks.size() - 1);
}

std::span<const Track> TraceStore::tracks() const {
  return impl_->tracks;
}

std::uint16_t TraceStore::depth_count(TrackId track) const {
  return track < impl_->lanes.size() ? static_cast<std::uint16_t>(impl_->lanes[track].size()) : 0;
}

bool TraceStore::append(TrackId track, std::uint16_t depth, const Slice& slice) {
  // The second half: begin plus duration would overflow.
  constexpr std::int64_t kLast = std::numeric_limits<std::int64_t>::max();
  const bool impossible =
      slice.duration_ns < 0 || (slice.begin_ns > 0 && slice.duration_ns > kLast - slice.begin_ns);
  TS_CHECK(depth < std::numeric_limits<std::uint16_t>::max());
  Lane& lane = impl_->grow(track, depth);
  if (impossible || !lane.append(slice)) {
    ++impl_->disordered;
    return false;
  }
  base::TimeRange& range = impl_->range;
  range.begin = impl_->slices == 0 ? slice.begin_ns : std::min(range.begin, slice.begin_ns);
  range.end = impl_->slices == 0 ? slice.end_ns() : std::max(range.end, slice.end_ns());
  ++impl_->slices;
  if (slice.flow != 0) {
    impl_->link(slice.flow, {.track = track, .depth = depth, .index = lane.size() - 1});
  }
  return true;
}

std::uint64_t TraceStore::disordered() const {
  return impl_->disordered;
}

Slice TraceStore::slice(SliceRef ref) const {
  return impl_->lane_of(ref).get(ref.index);
}

std::uint32_t TraceStore::lane_size(TrackId track, std::uint16_t depth) const {
  const Lane* lane = impl_->lane(track, depth);
  return lane == nullptr ? 0 : lane->size();
}

void TraceStore::query(TrackId track, std::uint16_t depth, base::TimeRange range,
                       std::int32_t pixels, std::vector<VisibleSlice>& out) const {
  out.clear();
  const Lane* lane = impl_->lane(track, depth);
  if (lane != nullptr) lane->query({.track = track, .depth = depth}, range, pixels, out);
}

std::optional<SliceRef> TraceStore::slice_at(TrackId track, std::uint16_t depth,
                                             std::int64_t time_ns) const {
  const Lane* lane = impl_->lane(track, depth);
  if (lane == nullptr) return std::nullopt;
  const std::uint32_t index = lane->at(time_ns);
  if (index == lane->size()) return std::nullopt;
  return SliceRef{.track = track, .depth = depth, .index = index};
}

std::optional<SliceRef> TraceStore::parent(SliceRef ref) const {
  const Lane& lane = impl_->lane_of(ref);
  const std::int64_t begin = lane.begin_ns(ref.index);
  const std::int64_t end = lane.end_ns(ref.index);
  for (std::uint16_t depth = ref.depth; depth > 0; --depth) {
    const auto above = slice_at(ref.track, static_cast<std::uint16_t>(depth - 1), begin);
    if (above && impl_->lane_of(*above).end_ns(above->index) >= end) return above;
  }
  return std::nullopt;
}

std::optional<SliceRef> TraceStore::flow_partner(SliceRef ref) const {
  const FlowIndex::Ends* ends = impl_->flows.find(slice(ref).flow);
  if (ends == nullptr || ends->second == FlowIndex::kNowhere) return std::nullopt;
  if (ref == ends->first || impl_->nested(ref, ends->first)) return ends->second;
  if (ref == ends->second || impl_->nested(ref, ends->second)) return ends->first;
  return std::nullopt;
}

std::vector<SliceRef> TraceStore::search(const base::StringTable& strings, std::string_view text,
                                         std::size_t most) const {
  const std::vector<char> wanted = ids_containing(strings, text);
  if (wanted.empty() || most == 0) return {};
  struct Hit {
    std::int64_t begin_ns;
    SliceRef ref;
  };
  std::vector<Hit> hits;
  for (std::size_t track = 0; track < impl_->lanes.size(); ++track) {
    for (std::size_t depth = 0; depth < impl_->lanes[track].size(); ++depth) {
      const Lane& lane = *impl_->lanes[track][depth];
      for (const std::uint32_t index : lane.find(wanted, most)) {
        hits.push_back({lane.begin_ns(index),
                        {.track = static_cast<TrackId>(track),
                         .depth = static_cast<std::uint16_t>(depth),
                         .index = index}});
      }
    }
  }
  // Stable sort: an outer slice comes before an inner one with the same begin.
  std::ranges::stable_sort(hits, {}, &Hit::begin_ns);
  hits.resize(std::min(hits.size(), most));
  std::vector<SliceRef> refs;
  refs.reserve(hits.size());
  for (const Hit& hit : hits) refs.push_back(hit.ref);
  return refs;
}

base::TimeRange TraceStore::range() const {
  return impl_->range;
}

std::uint64_t TraceStore::slice_count() const {
  return impl_->slices;
}

std::size_t TraceStore::bytes() const {
  std::size_t sum = sizeof(Impl) + impl_->tracks.capacity() * sizeof(Track) + impl_->flows.bytes();
  sum += impl_->lanes.capacity() * sizeof(impl_->lanes.front());
  for (const auto& depths : impl_->lanes) {
    sum += depths.capacity() * sizeof(depths.front());
    for (const auto& lane : depths) sum += lane->bytes();
  }
  return sum;
}

}  // namespace ts::trace
