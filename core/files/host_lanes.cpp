#include "core/files/host_lanes.h"

#include <algorithm>
#include <iterator>

namespace ts::files {
namespace {

using trace_file::EventKind;

// Recognises the names that PyTorch gives to the autograd engine's threads.
trace::TrackKind host_kind(const std::string& name) {
  const bool autograd = name.find("autograd") != std::string::npos;
  return autograd ? trace::TrackKind::autograd_thread : trace::TrackKind::cpu_thread;
}

}  // namespace

HostLanes::Part HostLanes::part_of(EventKind kind) {
  switch (kind) {
    case EventKind::op:
    case EventKind::annotation:
      return Part::operators;
    case EventKind::python:
      return Part::python;
    case EventKind::gpu_annotation:
      return Part::device_marks;
    case EventKind::synchronisation:
      return Part::waits;
    case EventKind::overhead:
      return Part::overhead;
    default:
      return Part::other;
  }
}

void HostLanes::make_tracks(const trace_file::TraceFile& file,
                            const std::function<std::string(std::uint32_t)>& name_of) {
  std::map<std::pair<std::uint32_t, Part>, std::int64_t> counts;
  for (const trace_file::Event& event : file.events) {
    const bool of_device = event.kind == EventKind::runtime || event.kind == EventKind::kernel ||
                           event.kind == EventKind::copy || event.kind == EventKind::fill;
    if (!of_device) ++counts[{event.track, part_of(event.kind)}];
  }
  std::vector<std::pair<std::pair<std::uint32_t, Part>, std::int64_t>> order(counts.begin(),
                                                                             counts.end());
  // Each rank has its own group of tracks.
  const auto rank_of = [&](std::uint32_t track) {
    const std::string& process = file.tracks[track].process_name;
    return process.starts_with("rank ") ? process : std::string();
  };
  std::ranges::stable_sort(order, [&](const auto& a, const auto& b) {
    const std::string rank_a = rank_of(a.first.first);
    const std::string rank_b = rank_of(b.first.first);
    if (rank_a != rank_b) {
      return rank_a.size() != rank_b.size() ? rank_a.size() < rank_b.size() : rank_a < rank_b;
    }
    return a.first.second != b.first.second ? a.first.second < b.first.second : a.second > b.second;
  });
  for (const auto& [key, count] : order) {
    const auto& [track, part] = key;
    trace::Track made;
    made.name = name_of(track);
    made.kind = part <= Part::python ? host_kind(made.name) : trace::TrackKind::cuda_api;
    // The view orders tracks by kind, which would take a rank's apart.
    if (!rank_of(track).empty()) made.kind = trace::TrackKind::cpu_thread;
    if (part == Part::python) made.name += " (Python)";
    if (part == Part::overhead) made.name += " (profiler)";
    lanes_[key].id = run_.trace.add_track(std::move(made));
  }
}

void HostLanes::append(const trace_file::Event& event, const trace::Slice& slice) {
  Lane& lane = lanes_.at({event.track, part_of(event.kind)});
  constexpr std::size_t kMostDepths = 256;
  auto& ends = lane.ends;
  auto depth = std::ranges::find_if(ends, [&](std::int64_t end) { return end <= slice.begin_ns; });
  if (depth == ends.end()) {
    if (ends.size() < kMostDepths) ends.push_back(0);
    depth = std::prev(ends.end());
  }
  *depth = slice.end_ns();
  run_.trace.append(lane.id, static_cast<std::uint16_t>(depth - ends.begin()), slice);
}

}  // namespace ts::files
