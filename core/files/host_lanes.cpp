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

// Waits for a whole device have no stream; the call has the same correlation.
void HostLanes::find_callers(const trace_file::TraceFile& file) {
  for (const trace_file::Event& event : file.events) {
    const trace_file::Track& track = file.tracks[event.track];
    if (event.kind == EventKind::synchronisation && track.device >= 0 &&
        track.stream == trace_file::kNoNumber && event.correlation != trace_file::kNoNumber)
      callers_.emplace(event.correlation, event.track);
  }
  if (callers_.empty()) return;
  for (const trace_file::Event& event : file.events) {
    if (event.kind != EventKind::runtime) continue;
    const auto wait = callers_.find(event.correlation);
    if (wait != callers_.end()) wait->second = event.track;
  }
}

HostLanes::Key HostLanes::key_of(const trace_file::Event& event) const {
  const Part part = part_of(event.kind);
  if (part != Part::waits || callers_.empty()) return {event.track, part};
  const auto caller = callers_.find(event.correlation);
  return {caller != callers_.end() ? caller->second : event.track, part};
}

trace::TrackKind HostLanes::kind_of(Part part, const std::string& name) {
  switch (part) {
    case Part::operators:
      return host_kind(name);
    case Part::python:
      return trace::TrackKind::python;
    case Part::waits:
      return trace::TrackKind::wait;
    case Part::overhead:
      return trace::TrackKind::overhead;
    case Part::device_marks:
    case Part::other:
      break;
  }
  return trace::TrackKind::other;
}

trace::Track HostLanes::track_of(const Key& key, const trace_file::TraceFile& file,
                                 std::string name) const {
  const auto& [track, part] = key;
  const trace_file::Track& of = file.tracks[track];
  trace::Track made;
  made.rank = static_cast<std::int32_t>(trace_file::rank_number(of));
  const bool on_device = of.device >= 0 && (part == Part::device_marks || part == Part::waits);
  if (on_device) {
    made.kind = part == Part::waits ? trace::TrackKind::wait : trace::TrackKind::gpu_mark;
    made.device = static_cast<std::int16_t>(of.device);
    if (trace_file::is_of_rank(of)) made.name = of.process_name + ": ";
    made.name += "GPU " + std::to_string(of.device);
    if (of.stream != trace_file::kNoNumber) made.name += " stream " + std::to_string(of.stream);
    return made;
  }
  made.name = std::move(name);
  made.kind = kind_of(part, made.name);
  return made;
}

void HostLanes::make_tracks(const trace_file::TraceFile& file,
                            const std::function<std::string(std::uint32_t)>& name_of) {
  find_callers(file);
  std::map<Key, std::int64_t> counts;
  for (const trace_file::Event& event : file.events) {
    const bool of_device = event.kind == EventKind::runtime || event.kind == EventKind::kernel ||
                           event.kind == EventKind::copy || event.kind == EventKind::fill;
    if (!of_device && event.kind != EventKind::window) ++counts[key_of(event)];
  }
  std::vector<std::pair<Key, std::int64_t>> order(counts.begin(), counts.end());
  std::ranges::stable_sort(order, [](const auto& a, const auto& b) {
    return a.first.second != b.first.second ? a.first.second < b.first.second : a.second > b.second;
  });
  for (const auto& [key, count] : order)
    lanes_[key].id = run_.trace.add_track(track_of(key, file, name_of(key.first)));
}

void HostLanes::append(const trace_file::Event& event, const trace::Slice& slice) {
  Lane& lane = lanes_.at(key_of(event));
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
