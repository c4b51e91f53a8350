#include "core/capture/gpu_timeline.h"

#include <algorithm>
#include <iterator>
#include <utility>

#include "core/trace/kernel_class.h"

namespace ts::capture {
namespace {

bool on_a_stream(GpuKind kind) {
  return kind == GpuKind::kernel || kind == GpuKind::copy || kind == GpuKind::fill;
}

// Where kernels are not recorded (event_recorder.h), the records are operators.
trace::SliceClass class_of_work(std::string_view name) {
  return name.starts_with("aten::") ? trace::classify_operator(name) : trace::classify_kernel(name);
}

}  // namespace

GpuTimeline::GpuTimeline(base::StringTable& strings, AddTrack add_track)
    : strings_(strings), add_track_(std::move(add_track)) {}

void GpuTimeline::take(const GpuRecord& record) {
  switch (record.kind) {
    case GpuKind::correlation: {
      Launch& launch = launches_[record.correlation];
      launch.op = record.op;
      launch.module = record.module;
      return;
    }
    case GpuKind::began:
      began_.push_back(record.begin_ns);
      return;
    case GpuKind::mark:
    case GpuKind::mark_begin:
    case GpuKind::mark_end:
      take_mark(record);
      return;
    default:
      break;
  }
  if (record.begin_ns == 0 || record.end_ns == 0) {
    ++without_time_;
    return;
  }
  if (record.kind == GpuKind::call) launches_[record.correlation].called = true;
  note_for_idle(record);
  wait(record);
}

// The two ends of a range arrive in either order.
void GpuTimeline::take_mark(const GpuRecord& record) {
  if (record.kind == GpuKind::mark) {
    wait(record);
    return;
  }
  const auto [known, fresh] = open_marks_.try_emplace(record.correlation, record);
  if (fresh) return;
  const bool ends = record.kind == GpuKind::mark_end;
  GpuRecord range = ends ? known->second : record;
  const GpuRecord end = ends ? record : known->second;
  open_marks_.erase(known);
  if (range.kind != GpuKind::mark_begin || end.kind != GpuKind::mark_end) return;
  range.kind = GpuKind::mark;
  range.end_ns = end.end_ns;
  wait(range);
}

void GpuTimeline::wait(const GpuRecord& record) {
  latest_ns_ = std::max(latest_ns_, record.end_ns);
  track_of(record).waiting.push_back(record);
}

void GpuTimeline::note_for_idle(const GpuRecord& record) {
  if (on_a_stream(record.kind)) {
    work_.push_back({.device = record.device,
                     .correlation = record.correlation,
                     .begin_ns = record.begin_ns,
                     .end_ns = record.end_ns});
  } else if (record.kind == GpuKind::call) {
    // By name, whatever its form. Wait records also include streams that wait for each other.
    const std::string_view name = strings_.view(record.name);
    auto kind = HostCall::Kind::launch;
    if (name.find("Synchronize") != std::string_view::npos) kind = HostCall::Kind::wait;
    if (name.find("Memcpy") != std::string_view::npos &&
        name.find("Async") == std::string_view::npos)
      kind = HostCall::Kind::copy;
    calls_.push_back({.kind = kind,
                      .correlation = record.correlation,
                      .begin_ns = record.begin_ns,
                      .end_ns = record.end_ns,
                      .process = record.process});
  }
}

GpuTimeline::Track& GpuTimeline::track_of(const GpuRecord& record) {
  Key key{GpuKind::kernel, record.device, record.stream};
  if (!on_a_stream(record.kind)) key = {record.kind, 0, record.thread};
  const auto known = tracks_.find(key);
  if (known != tracks_.end()) return known->second;
  trace::Track made;
  made.kind = trace::TrackKind::cuda_api;
  switch (key.of) {
    case GpuKind::call:
      made.name = "thread " + std::to_string(key.number);
      break;
    case GpuKind::mark:
      made.name = "NVTX thread " + std::to_string(key.number);
      break;
    case GpuKind::wait:
      made.name = "synchronisation";
      break;
    case GpuKind::overhead:
      made.name = "recording";
      break;
    default:
      made.kind = trace::TrackKind::gpu_stream;
      made.name = "GPU " + std::to_string(key.device) + " stream " + std::to_string(key.number);
      made.device = static_cast<std::int16_t>(key.device);
  }
  Track track;
  track.id = add_track_(std::move(made));
  return tracks_.emplace(key, std::move(track)).first->second;
}

base::StringId GpuTimeline::detail_of(const GpuRecord& record, const Launch* launch, Batch& batch) {
  std::string text;
  const auto add = [&text](const std::string& part) {
    if (!text.empty()) text += ", ";
    text += part;
  };
  if (launch != nullptr && launch->op != base::kNoString)
    add(std::string(strings_.view(launch->op)));
  if (record.kind == GpuKind::kernel) {
    // An operator timed by events has no launch.
    if (record.block[0] > 0) {
      add("grid " + trace::extent_text(record.grid) + ", block " +
          trace::extent_text(record.block));
      add(std::to_string(record.registers) + " registers");
    }
    if (record.shared_memory > 0) add(std::to_string(record.shared_memory) + " B shared");
    if (record.graph != 0) {
      add("graph " + std::to_string(record.graph) + " node " + std::to_string(record.graph_node));
    }
  }
  if (record.kind == GpuKind::copy || record.kind == GpuKind::fill)
    add(std::to_string(record.bytes) + " B");
  if (text.empty()) return base::kNoString;
  const base::StringId detail = strings_.intern(text);
  if (record.kind == GpuKind::kernel && written_launches_.insert(detail).second) {
    batch.launches.push_back({detail,
                              {.op = launch != nullptr ? launch->op : base::kNoString,
                               .grid = record.grid,
                               .block = record.block,
                               .registers = record.registers,
                               .shared_memory = record.shared_memory}});
  }
  return detail;
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
                                ? class_of_work(strings_.view(record.name))
                                : trace::SliceClass::copy;
    row.slice.detail = detail_of(record, launch, batch);
    if (launch != nullptr) {
      row.slice.module = launch->module;
      // Only the first kernel of a graph carries the flow.
      if (launch->called && !std::exchange(launch->started, true))
        row.slice.flow = flow_of_launch(record.correlation);
    }
  } else if (launch != nullptr && (record.kind == GpuKind::call || record.kind == GpuKind::wait)) {
    row.slice.module = launch->module;
    if (record.kind == GpuKind::call) row.slice.flow = flow_of_launch(record.correlation);
    row.slice.detail = detail_of(record, launch, batch);
  }
  auto depth = std::find_if(track.depth_ends.begin(), track.depth_ends.end(),
                            [&](std::int64_t end) { return end <= record.begin_ns; });
  constexpr std::size_t kMostDepths = 256;  // deeper rows share the last depth
  if (depth == track.depth_ends.end()) {
    if (track.depth_ends.size() < kMostDepths) track.depth_ends.push_back(0);
    depth = std::prev(track.depth_ends.end());
  }
  *depth = record.end_ns;
  row.depth = static_cast<std::uint16_t>(depth - track.depth_ends.begin());
  batch.slices.push_back(row);
}

void GpuTimeline::hand_over(bool all, Batch& batch) {
  const std::int64_t until_ns = latest_ns_ - kWaitNs;
  for (auto& [key, track] : tracks_) {
    std::vector<GpuRecord>& waiting = track.waiting;
    // A call that contains another begins no later and ends later.
    std::sort(waiting.begin(), waiting.end(), [](const GpuRecord& a, const GpuRecord& b) {
      return a.begin_ns != b.begin_ns ? a.begin_ns < b.begin_ns : a.end_ns > b.end_ns;
    });
    // Rows after a waiting row wait too; else the track would lose its order.
    const auto end =
        all ? waiting.end()
            : std::find_if(waiting.begin(), waiting.end(),
                           [&](const GpuRecord& record) { return record.end_ns > until_ns; });
    for (auto record = waiting.begin(); record != end; ++record) emit(track, *record, batch);
    waiting.erase(waiting.begin(), end);
  }
  if (!all) return;
  add_idle(batch);
  launches_.clear();
  open_marks_.clear();
}

void GpuTimeline::add_idle(Batch& batch) {
  for (const IdleSpan& span :
       idle_spans(std::exchange(work_, {}), std::exchange(calls_, {}), std::exchange(began_, {}))) {
    auto track = idle_tracks_.find(span.device);
    if (track == idle_tracks_.end()) {
      const trace::TrackId id =
          add_track_({trace::TrackKind::gpu_idle, "GPU " + std::to_string(span.device) + " idle",
                      static_cast<std::int16_t>(span.device)});
      track = idle_tracks_.emplace(span.device, id).first;
    }
    Batch::Row row;
    row.track = track->second;
    row.slice.begin_ns = span.begin_ns;
    row.slice.duration_ns = span.end_ns - span.begin_ns;
    row.slice.name = strings_.intern(to_string(span.cause));
    batch.slices.push_back(row);
  }
}

}  // namespace ts::capture
