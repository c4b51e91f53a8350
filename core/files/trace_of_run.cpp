#include "core/files/trace_of_run.h"

#include <algorithm>
#include <cstdlib>
#include <map>
#include <optional>
#include <string>
#include <tuple>
#include <unordered_map>
#include <utility>
#include <vector>

#include "core/files/kineto_types.h"
#include "core/trace/each_slice.h"

namespace ts::files {
namespace {

using trace_file::Event;
using trace_file::EventKind;

// Differs from the numbers of devices, which are the ids of their processes.
constexpr const char* kHostProcess = "1000";
// The highest bit marks flows from a launch to what it started (capture::flow_of_launch()).
constexpr std::uint32_t kLaunchFlow = 0x8000'0000U;

struct Shapes {
  std::string dims;   // "[[2, 3], []]"
  std::string types;  // "["float", "Scalar"]"
};

std::string_view kineto_type(std::string_view ours) {
  const auto found = std::ranges::find(kKinetoTypes, ours, &KinetoType::ours);
  return found != kKinetoTypes.end() ? found->kineto : ours;
}

// Converts "[2, 3] fp32, [4] bf16".
Shapes kineto_shapes(std::string_view detail) {
  Shapes shapes{"[", "["};
  for (std::size_t at = detail.find('['); at != std::string_view::npos;) {
    const std::size_t end = detail.find(']', at);
    if (end == std::string_view::npos) break;
    const std::size_t next = detail.find('[', end);
    std::string_view type = detail.substr(
        end + 1, next == std::string_view::npos ? std::string_view::npos : next - end - 1);
    type = type.substr(std::min(type.find_first_not_of(' '), type.size()));
    type = type.substr(0, type.find_first_of(", "));
    if (shapes.dims.size() > 1) {
      shapes.dims += ", ";
      shapes.types += ", ";
    }
    shapes.dims += detail.substr(at, end - at + 1);
    shapes.types.append("\"").append(kineto_type(type)).append("\"");
    at = next;
  }
  shapes.dims += ']';
  shapes.types += ']';
  return shapes;
}

class RunExporter {
 public:
  RunExporter(const run::Run& run, const base::StringTable& strings)
      : run_(run), trace_(run.trace), strings_(strings) {}

  trace_file::TraceFile take() {
    begin_ns_ = trace_.slice_count() > 0 ? trace_.range().begin : 0;
    const auto memory = run_.memory.events();
    if (!memory.empty() && (trace_.slice_count() == 0 || memory.front().time_ns < begin_ns_))
      begin_ns_ = memory.front().time_ns;
    add_tracks();
    find_threads_of_calls();
    for_each_slice([this](trace::SliceRef ref, const trace::Slice& slice) { add(ref, slice); });
    std::ranges::stable_sort(file_.events, {}, [](const Event& event) {
      return std::pair(event.begin_ns, -event.duration_ns);
    });
    add_memory();
    if (const run::RankFacts& rank = run_.facts.rank; rank.size > 0) {
      file_.rank = rank.rank;
      file_.base_time_ns = begin_ns_ + rank.clock_offset_ns + rank.epoch_ns;
    }
    return std::move(file_);
  }

 private:
  template <class Visit>
  void for_each_slice(Visit visit) const {
    for (trace::TrackId track = 0; track < trace_.tracks().size(); ++track)
      trace::for_each_slice(trace_, track, visit);
  }
  [[nodiscard]] const trace::Track& track_of(trace::SliceRef ref) const {
    return trace_.tracks()[ref.track];
  }
  void add_tracks();
  void find_threads_of_calls();
  [[nodiscard]] std::optional<trace::SliceRef> operator_around(const trace::Slice& call) const;
  std::optional<trace::SliceRef> operator_of(const trace::Slice& call);
  [[nodiscard]] EventKind kind_of(trace::SliceRef ref, const trace::Slice& slice) const;
  void add(trace::SliceRef ref, const trace::Slice& slice);
  void add_launch(Event& event, trace::SliceRef ref, const trace::Slice& slice);
  void add_flow(trace::SliceRef ref, const trace::Slice& slice, std::uint32_t track);
  void add_memory();
  std::int64_t number_of(trace::SliceRef op);
  base::StringId text(base::StringId id);

  const run::Run& run_;
  const trace::TraceStore& trace_;
  const base::StringTable& strings_;
  trace_file::TraceFile file_;
  std::int64_t begin_ns_ = 0;
  std::vector<std::uint32_t> threads_;  // by track: the track of the file
  std::map<std::tuple<trace::TrackId, std::uint16_t, std::uint32_t>, std::int64_t> numbers_;
  std::unordered_map<base::StringId, base::StringId> texts_;
  std::unordered_map<std::uint32_t, std::optional<trace::SliceRef>> operators_;  // by flow
  std::unordered_map<base::StringId, std::pair<base::StringId, base::StringId>> shapes_;
  std::unordered_map<base::StringId, std::uint32_t> launches_;  // by detail
};

void RunExporter::add_tracks() {
  constexpr std::string_view kStream = "stream ";
  for (std::size_t t = 0; t < trace_.tracks().size(); ++t) {
    const trace::Track& track = trace_.tracks()[t];
    trace_file::Track made{kHostProcess, std::to_string(t + 1), "python", track.name};
    if (track.device >= 0) {
      made.process = std::to_string(track.device);
      made.process_name = "GPU " + made.process;
      made.device = track.device;
    }
    const std::size_t stream = track.name.rfind(kStream);
    if (track.kind == trace::TrackKind::gpu_stream && stream != std::string::npos) {
      made.thread = track.name.substr(stream + kStream.size());
      made.stream = static_cast<std::int64_t>(std::strtoll(made.thread.c_str(), nullptr, 10));
    }
    threads_.push_back(static_cast<std::uint32_t>(file_.tracks.size()));
    file_.tracks.push_back(std::move(made));
  }
  const bool on_device = run_.spec.device == spec::DeviceKind::cuda;
  if (on_device && !run_.device_name.empty()) file_.devices = {run_.device_name};
}

// The operator that was open at the time of the call, found by its name if the call has one.
std::optional<trace::SliceRef> RunExporter::operator_around(const trace::Slice& call) const {
  for (std::size_t t = 0; t < trace_.tracks().size(); ++t) {
    const trace::TrackKind kind = trace_.tracks()[t].kind;
    if (kind != trace::TrackKind::cpu_thread && kind != trace::TrackKind::autograd_thread) continue;
    const auto track = static_cast<trace::TrackId>(t);
    for (std::uint16_t depth = trace_.depth_count(track); depth-- > 0;) {
      const auto found = trace_.slice_at(track, depth, call.begin_ns);
      if (!found) continue;
      const trace::Slice slice = trace_.slice(*found);
      if (slice.slice_class > trace::SliceClass::module && slice.name == call.detail) return found;
    }
  }
  return std::nullopt;
}

// Computed once for a call and what it started.
std::optional<trace::SliceRef> RunExporter::operator_of(const trace::Slice& call) {
  const auto [known, fresh] = operators_.try_emplace(call.flow);
  if (fresh) known->second = operator_around(call);
  return known->second;
}

// Puts a thread of calls on the thread whose operators made most of them, because readers look for
// the operator around a launch there.
void RunExporter::find_threads_of_calls() {
  std::map<trace::TrackId, std::map<trace::TrackId, std::int64_t>> votes;
  for_each_slice([&](trace::SliceRef ref, const trace::Slice& slice) {
    if (track_of(ref).kind != trace::TrackKind::cuda_api || (slice.flow & kLaunchFlow) == 0) return;
    if (const auto op = operator_of(slice)) ++votes[ref.track][op->track];
  });
  for (const auto& [track, of_threads] : votes) {
    const auto most =
        std::ranges::max_element(of_threads, {}, [](const auto& one) { return one.second; });
    threads_[track] = threads_[most->first];
  }
}

EventKind RunExporter::kind_of(trace::SliceRef ref, const trace::Slice& slice) const {
  const trace::Track& track = track_of(ref);
  switch (track.kind) {
    case trace::TrackKind::phases:
      return EventKind::annotation;
    case trace::TrackKind::cpu_thread:
    case trace::TrackKind::autograd_thread:
      return slice.slice_class > trace::SliceClass::module ? EventKind::op : EventKind::annotation;
    case trace::TrackKind::gpu_stream:
      if (run_.launches.contains(slice.detail)) return EventKind::kernel;
      return strings_.view(slice.name).find("emset") != std::string_view::npos ? EventKind::fill
                                                                               : EventKind::copy;
    case trace::TrackKind::gpu_idle:
      return EventKind::other;
    case trace::TrackKind::gpu_mark:  // like the next four of opened traces only
      return EventKind::gpu_annotation;
    case trace::TrackKind::python:
      return EventKind::python;
    case trace::TrackKind::wait:
      return EventKind::synchronisation;
    case trace::TrackKind::overhead:
      return EventKind::overhead;
    case trace::TrackKind::other:
      return EventKind::other;
    case trace::TrackKind::cuda_api:
      break;
  }
  if (track.name == "synchronisation") return EventKind::synchronisation;
  if (track.name == "recording") return EventKind::overhead;
  return track.name.starts_with("NVTX") ? EventKind::annotation : EventKind::runtime;
}

base::StringId RunExporter::text(base::StringId id) {
  const auto [known, fresh] = texts_.try_emplace(id, base::kNoString);
  if (fresh) known->second = file_.strings->intern(strings_.view(id));
  return known->second;
}

std::int64_t RunExporter::number_of(trace::SliceRef op) {
  const auto next = static_cast<std::int64_t>(numbers_.size() + 1);
  return numbers_.try_emplace({op.track, op.depth, op.index}, next).first->second;
}

void RunExporter::add(trace::SliceRef ref, const trace::Slice& slice) {
  Event event;
  event.begin_ns = slice.begin_ns - begin_ns_;
  event.duration_ns = slice.duration_ns;
  event.name = text(slice.name);
  event.module = text(slice.module);
  event.track = threads_[ref.track];
  event.kind = kind_of(ref, slice);
  constexpr std::string_view kStep = "step ";
  const std::string_view name = strings_.view(slice.name);
  if (slice.slice_class == trace::SliceClass::step && name.starts_with(kStep)) {
    event.name = file_.strings->intern("ProfilerStep#" + std::string(name.substr(kStep.size())));
  }
  if (event.kind == EventKind::op) {
    event.external = number_of(ref);
    const auto [known, fresh] = shapes_.try_emplace(slice.detail);
    if (fresh && slice.detail != base::kNoString) {
      const Shapes shapes = kineto_shapes(strings_.view(slice.detail));
      known->second = {file_.strings->intern(shapes.dims), file_.strings->intern(shapes.types)};
    }
    std::tie(event.dims, event.types) = known->second;
  } else if ((slice.flow & kLaunchFlow) != 0 || event.kind == EventKind::kernel) {
    add_launch(event, ref, slice);
  }
  if (slice.flow != 0) add_flow(ref, slice, event.track);
  file_.events.push_back(event);
}

void RunExporter::add_launch(Event& event, trace::SliceRef ref, const trace::Slice& slice) {
  if ((slice.flow & kLaunchFlow) != 0) event.correlation = slice.flow & ~kLaunchFlow;
  std::optional<trace::Slice> call;
  if (event.kind == EventKind::runtime) {
    call = slice;
  } else if (const auto partner = trace_.flow_partner(ref)) {
    call = trace_.slice(*partner);
  }
  if (call) {
    if (const auto op = operator_of(*call)) event.external = number_of(*op);
  }
  if (event.kind != EventKind::kernel) return;
  const auto [known, fresh] =
      launches_.try_emplace(slice.detail, static_cast<std::uint32_t>(file_.launches.size()));
  if (fresh) {
    const trace::KernelLaunch& launch = run_.launches.at(slice.detail);
    file_.launches.push_back({launch.grid, launch.block, launch.registers, launch.shared_memory});
  }
  event.launch = known->second;
}

// Each arrow has only two ends, of the slices that share a flow.
void RunExporter::add_flow(trace::SliceRef ref, const trace::Slice& slice, std::uint32_t track) {
  const auto partner = trace_.flow_partner(ref);
  if (!partner || trace_.flow_partner(*partner) != ref) return;
  const trace::Slice other = trace_.slice(*partner);
  trace_file::FlowEnd end;
  const bool launch = (slice.flow & kLaunchFlow) != 0;
  end.kind = launch ? trace_file::FlowEnd::Kind::launch : trace_file::FlowEnd::Kind::autograd;
  end.id = slice.flow & ~kLaunchFlow;
  end.time_ns = slice.begin_ns - begin_ns_;
  end.track = track;
  end.begins = slice.begin_ns != other.begin_ns ? slice.begin_ns < other.begin_ns
                                                : ref.track < partner->track;
  file_.flows.push_back(end);
}

void RunExporter::add_memory() {
  const bool on_device = run_.spec.device == spec::DeviceKind::cuda;
  const auto blocks = run_.memory.blocks();
  for (const memory::Event& event : run_.memory.events()) {
    const bool frees = event.action == memory::Action::free_completed;
    if ((!frees && event.action != memory::Action::alloc) || event.block == memory::kNone) continue;
    const memory::Block& block = blocks[event.block];
    trace_file::MemoryEvent made;
    made.time_ns = event.time_ns - begin_ns_;
    made.address = block.address;
    made.bytes = frees ? -block.size : block.size;
    made.total_allocated = event.total_after;
    made.device = on_device ? 0 : -1;
    file_.memory.push_back(made);
  }
}

}  // namespace

trace_file::TraceFile trace_of_run(const run::Run& run, const base::StringTable& strings) {
  return RunExporter(run, strings).take();
}

}  // namespace ts::files
