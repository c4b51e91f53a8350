#include "core/capture/gpu_timeline.h"

#include <algorithm>
#include <utility>

#include "core/trace/kernel_class.h"

namespace ts::capture {
namespace {

bool on_a_stream(GpuKind kind) {
  return kind == GpuKind::kernel || kind == GpuKind::copy || kind == GpuKind::fill;
}

std::string extent(const std::array<std::int32_t, 3>& of) {
  return std::to_string(of[0]) + "x" + std::to_string(of[1]) + "x" + std::to_string(of[2]);
}

}  // namespace

GpuTimeline::GpuTimeline(base::StringTable& strings, AddTrack add_track)
    : strings_(strings), add_track_(std::move(add_track)) {}

void GpuTimeline::take(const GpuRecord& record) {
  if (record.kind == GpuKind::correlation) {
    Launch& launch = launches_[record.correlation];
    launch.op = record.op;
    launch.module = record.module;
    return;
  }
  if (record.begin_ns == 0 && record.end_ns == 0) {
    ++without_time_;
    return;
  }
  if (record.kind == GpuKind::call) launches_[record.correlation].called = true;
  latest_ns_ = std::max(latest_ns_, record.end_ns);
  track_of(record).waiting.push_back(record);
}

GpuTimeline::Track& GpuTimeline::track_of(const GpuRecord& record) {
  Key key{GpuKind::kernel, record.device, record.stream};
  if (record.kind == GpuKind::call) key = {GpuKind::call, 0, record.thread};
  if (record.kind == GpuKind::overhead) key = {GpuKind::overhead, 0, 0};
  const auto known = tracks_.find(key);
  if (known != tracks_.end()) return known->second;
  Track track;
  switch (key.of) {
    case GpuKind::call:
      track.id = add_track_(trace::TrackKind::cuda_api, "thread " + std::to_string(key.number));
      break;
    case GpuKind::overhead:
      track.id = add_track_(trace::TrackKind::cuda_api, "recording");
      break;
    default:
      track.id =
          add_track_(trace::TrackKind::gpu_stream,
                     "GPU " + std::to_string(key.device) + " stream " + std::to_string(key.number));
  }
  return tracks_.emplace(key, std::move(track)).first->second;
}

base::StringId GpuTimeline::detail_of(const GpuRecord& record, const Launch* launch) {
  std::string text;
  const auto add = [&text](const std::string& part) {
    if (!text.empty()) text += ", ";
    text += part;
  };
  if (launch != nullptr && launch->op != base::kNoString)
    add(std::string(strings_.view(launch->op)));
  if (record.kind == GpuKind::kernel) {
    add("grid " + extent(record.grid) + ", block " + extent(record.block));
    add(std::to_string(record.registers) + " registers");
    if (record.shared_memory > 0) add(std::to_string(record.shared_memory) + " B shared");
    if (record.graph != 0) {
      add("graph " + std::to_string(record.graph) + " node " + std::to_string(record.graph_node));
    }
  }
  if (record.kind == GpuKind::copy || record.kind == GpuKind::fill)
    add(std::to_string(record.bytes) + " B");
  return text.empty() ? base::kNoString : strings_.intern(text);
}

void GpuTimeline::emit(Track& track, const GpuRecord& record, Batch& batch) {
  Batch::Row row;
  row.track = track.id;
  row.slice.begin_ns = record.begin_ns;
  row.slice.duration_ns = std::max<std::int64_t>(0, record.end_ns - record.begin_ns);
  row.slice.name = record.name;
  const auto found = launches_.find(record.correlation);
  Launch* const launch = found != launches_.end() ? &found->second : nullptr;
  if (on_a_stream(record.kind)) {
    row.slice.slice_class = record.kind == GpuKind::kernel
                                ? trace::classify_kernel(strings_.view(record.name))
                                : trace::SliceClass::copy;
    row.slice.detail = detail_of(record, launch);
    if (launch == nullptr) {
      ++without_launch_;
    } else {
      row.slice.module = launch->module;
      // Of the kernels of a graph the first one stands for all.
      if (launch->called && !std::exchange(launch->started, true))
        row.slice.flow = flow_of_launch(record.correlation);
    }
  } else if (record.kind == GpuKind::call && launch != nullptr) {
    row.slice.module = launch->module;
    row.slice.flow = flow_of_launch(record.correlation);
    row.slice.detail = detail_of(record, launch);
  }
  auto depth = std::find_if(track.depth_ends.begin(), track.depth_ends.end(),
                            [&](std::int64_t end) { return end <= record.begin_ns; });
  if (depth == track.depth_ends.end()) depth = track.depth_ends.insert(depth, 0);
  *depth = record.end_ns;
  row.depth = static_cast<std::uint16_t>(depth - track.depth_ends.begin());
  batch.slices.push_back(row);
}

void GpuTimeline::hand_over(bool all, Batch& batch) {
  const std::int64_t until_ns = latest_ns_ - kWaitNs;
  for (auto& [key, track] : tracks_) {
    std::vector<GpuRecord>& waiting = track.waiting;
    // A call that contains another begins with it at the latest, and ends later.
    std::sort(waiting.begin(), waiting.end(), [](const GpuRecord& a, const GpuRecord& b) {
      return a.begin_ns != b.begin_ns ? a.begin_ns < b.begin_ns : a.end_ns > b.end_ns;
    });
    // What begins after one that still waits waits too, or the track would lose its order.
    const auto end =
        all ? waiting.end()
            : std::find_if(waiting.begin(), waiting.end(),
                           [&](const GpuRecord& record) { return record.end_ns > until_ns; });
    for (auto record = waiting.begin(); record != end; ++record) emit(track, *record, batch);
    waiting.erase(waiting.begin(), end);
  }
  if (all) launches_.clear();
}

}  // namespace ts::capture
