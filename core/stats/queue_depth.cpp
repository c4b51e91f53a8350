#include "core/stats/queue_depth.h"

#include <algorithm>
#include <utility>

#include "core/trace/each_slice.h"

namespace ts::stats {

std::optional<Waited> waited(const trace::TraceStore& trace, trace::SliceRef ref) {
  const auto call = trace.flow_partner(ref);
  if (!call) return std::nullopt;
  const Waited found{trace.slice(*call).end_ns(), trace.slice(ref).begin_ns};
  if (found.made_ns >= found.begin_ns) return std::nullopt;
  return found;
}

std::vector<QueuePoint> queue_depth(std::span<const Waited> all) {
  std::vector<std::pair<std::int64_t, std::int64_t>> changes;
  for (const Waited& one : all) {
    changes.emplace_back(one.made_ns, 1);
    changes.emplace_back(one.begin_ns, -1);
  }
  std::ranges::sort(changes);
  std::vector<QueuePoint> points;
  std::int64_t depth = 0;
  for (std::size_t i = 0; i < changes.size();) {
    const std::int64_t time = changes[i].first;
    const std::int64_t before = depth;
    for (; i < changes.size() && changes[i].first == time; ++i) depth += changes[i].second;
    if (depth != before) points.push_back({time, depth});
  }
  return points;
}

std::vector<QueuePoint> queue_depth(const trace::TraceStore& trace, std::int16_t device) {
  std::vector<Waited> all;
  const auto tracks = trace.tracks();
  for_each_slice(trace, trace::TrackKind::gpu_stream, [&](trace::SliceRef ref, const auto&) {
    if (tracks[ref.track].device != device) return;
    if (const auto one = waited(trace, ref)) all.push_back(*one);
  });
  return queue_depth(all);
}

}  // namespace ts::stats
