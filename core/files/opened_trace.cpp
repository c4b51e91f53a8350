#include "core/files/opened_trace.h"

#include <algorithm>
#include <limits>
#include <map>
#include <optional>
#include <set>
#include <span>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <utility>

#include "core/capture/decoder.h"
#include "core/capture/gpu_timeline.h"
#include "core/files/collectives.h"
#include "core/files/host_lanes.h"
#include "core/files/kineto_types.h"
#include "core/text/message.h"
#include "core/text/numbers.h"
#include "core/trace/slice_class.h"
#include "core/trace_file/autograd_links.h"
#include "core/trace_file/trace_modules.h"
#include "core/trace_file/trace_phases.h"
#include "core/trace_file/trace_span.h"

namespace ts::files {
namespace {

using trace_file::Event;
using trace_file::EventKind;

bool on_device(EventKind kind) {
  return kind == EventKind::kernel || kind == EventKind::copy || kind == EventKind::fill;
}

capture::GpuKind gpu_kind(EventKind kind) {
  switch (kind) {
    case EventKind::kernel:
      return capture::GpuKind::kernel;
    case EventKind::copy:
      return capture::GpuKind::copy;
    case EventKind::fill:
      return capture::GpuKind::fill;
    default:
      return capture::GpuKind::call;
  }
}

std::string thread_name(const trace_file::TraceFile& file, std::uint32_t track) {
  const trace_file::Track& of = file.tracks[track];
  std::string name = of.thread_name;
  while (name.ends_with(' ')) name.pop_back();
  if (!name.empty()) return name;
  const bool number = of.thread.find_first_not_of("-0123456789") == std::string::npos;
  return number ? "thread " + of.thread : of.thread;
}

// The operators that are open on each thread; asked by rising time.
class OpenOperators {
 public:
  explicit OpenOperators(const std::vector<Event>& events) : events_(events) {}

  // The innermost one, or no string.
  base::StringId at(std::uint32_t track, std::int64_t time_ns) {
    for (; next_ < events_.size() && events_[next_].begin_ns <= time_ns; ++next_) {
      const Event& event = events_[next_];
      if (event.kind != EventKind::op) continue;
      close(event.track, event.begin_ns);
      open_[event.track].push_back(&event);
    }
    close(track, time_ns);
    const auto& open = open_[track];
    return open.empty() ? base::kNoString : open.back()->name;
  }

 private:
  void close(std::uint32_t track, std::int64_t time_ns) {
    auto& open = open_[track];
    while (!open.empty() && open.back()->end_ns() < time_ns) open.pop_back();
  }

  const std::vector<Event>& events_;  // by begin
  std::unordered_map<std::uint32_t, std::vector<const Event*>> open_;
  std::size_t next_ = 0;
};

class TraceOpener {
 public:
  TraceOpener(trace_file::TraceFile& file, run::Run& run)
      : file_(file), run_(run), lanes_(run), gpu_(*file.strings, [this](trace::Track track) {
          return add_device_track(std::move(track));
        }) {}

  // Moves the counters out of the file.
  std::vector<trace_file::Counter> take_counters() {
    for (trace_file::Counter& counter : file_.counters)
      for (trace_file::CounterPoint& point : counter.points) point.time_ns = time_of(point.time_ns);
    return std::move(file_.counters);
  }
  // Returns whose memory `run` shows.
  ShownMemory open() {
    span_ = trace_file::span_of(file_);
    const auto ends = trace_file::autograd_ends(file_);
    for (const trace_file::AutogradEnd& end : ends) autograd_[end.event] = end.flow;
    trace_file::give_modules(file_, ends);
    add_steps();
    add_phases(trace_file::phase_spans(file_, ends));
    number_launches();
    find_operators();
    for (const trace_file::Track& track : file_.tracks)
      processes_.push_back(file_.strings->intern(track.process));
    lanes_.make_tracks(file_, [this](std::uint32_t track) { return thread_name(file_, track); });
    for (std::uint32_t i = 0; i < file_.events.size(); ++i) place(i);
    capture::Batch batch;
    gpu_.hand_over(true, batch);
    batch.tracks.clear();  // these tracks exist already
    // Tables need a launch for each kernel; some profilers record none.
    batch.launches.emplace_back(base::kNoString, trace::KernelLaunch{});
    run_.apply(run::BatchUpdate{run_.id, std::move(batch)});
    add_memory();
    return std::move(memory_);
  }

 private:
  // Distant times are clamped so that sums cannot overflow. Adds 1, because 0 means none to the
  // timeline.
  [[nodiscard]] std::int64_t time_of(std::int64_t file_ns) const {
    constexpr std::int64_t kMost = std::int64_t{1} << 58;
    return std::clamp<std::int64_t>(file_ns - span_.begin, 0, kMost) + 1;
  }
  [[nodiscard]] trace::Slice slice_of(const Event& event) const {
    trace::Slice slice;
    slice.begin_ns = time_of(event.begin_ns);
    slice.duration_ns = time_of(event.end_ns()) - slice.begin_ns;
    slice.name = event.name;
    slice.module = event.module;
    return slice;
  }
  trace::TrackId add_device_track(trace::Track track);
  void add_steps();
  void add_phases(const std::vector<trace_file::PhaseSpan>& spans);
  void number_launches();
  void find_operators();
  void place(std::uint32_t index);
  void place_on_host(std::uint32_t index);
  void give_to_gpu(const Event& event);
  void add_operator(const Event& event, std::uint32_t correlation);
  std::vector<memory::Record> alive_before(std::span<const trace_file::MemoryEvent> events);
  void add_memory();
  base::StringId shapes(const Event& event);
  std::optional<base::StringId> collective_detail(const Event& event);

  trace_file::TraceFile& file_;
  run::Run& run_;
  HostLanes lanes_;
  capture::GpuTimeline gpu_;
  ShownMemory memory_;
  trace_file::Span span_;
  trace::TrackId phases_ = 0;
  std::vector<std::uint32_t> processes_;                       // by track of the file
  std::unordered_map<std::int64_t, std::uint32_t> numbers_;    // of correlations
  std::unordered_map<std::int64_t, std::uint32_t> operators_;  // event by external id
  std::unordered_map<std::uint32_t, std::uint32_t> autograd_;  // flow by event
  std::map<std::pair<base::StringId, base::StringId>, base::StringId> shapes_;
};

// A thread that called the device has its number from the file's list; it gets its name.
trace::TrackId TraceOpener::add_device_track(trace::Track track) {
  constexpr std::string_view kThread = "thread ";
  if (track.kind == trace::TrackKind::cuda_api && track.name.starts_with(kThread)) {
    const auto number = static_cast<std::uint32_t>(std::stoul(track.name.substr(kThread.size())));
    track.name = thread_name(file_, number);
    track.rank = static_cast<std::int32_t>(trace_file::rank_number(file_.tracks[number]));
  }
  // Traces of ranks that became one: the name says whose device it is.
  const auto of_rank = std::ranges::find_if(file_.tracks, [&](const trace_file::Track& one) {
    return one.device == track.device && trace_file::is_of_rank(one);
  });
  if (track.device >= 0 && of_rank != file_.tracks.end()) {
    track.name = of_rank->process_name + ": " + track.name;
    track.rank = static_cast<std::int32_t>(trace_file::rank_number(*of_rank));
  }
  return run_.trace.add_track(std::move(track));
}

void TraceOpener::add_steps() {
  phases_ = run_.trace.add_track({trace::TrackKind::phases, "phases"});
  trace::Slice whole;
  whole.begin_ns = time_of(span_.begin);
  whole.duration_ns = time_of(span_.end) - whole.begin_ns + 1;  // holds what begins at the end
  whole.name = file_.strings->intern("trace");
  whole.slice_class = trace::SliceClass::step;
  run_.trace.append(phases_, 0, whole);
  std::map<std::int64_t, trace::TrackId> ranks;  // steps of several lie over each other
  for (const Event& event : file_.events) {
    if (!trace_file::is_step(*file_.strings, event)) continue;
    const std::int64_t rank = trace_file::rank_number(file_.tracks[event.track]);
    if (rank != trace_file::kNoNumber) ranks.try_emplace(rank, 0);
  }
  for (auto& [rank, track] : ranks) {
    track = run_.trace.add_track({.kind = trace::TrackKind::phases,
                                  .name = "rank " + std::to_string(rank),
                                  .rank = static_cast<std::int32_t>(rank)});
  }
  for (const Event& event : file_.events) {
    if (!trace_file::is_step(*file_.strings, event)) continue;
    trace::Slice step = slice_of(event);
    step.slice_class = trace::SliceClass::module;
    const auto of_rank = ranks.find(trace_file::rank_number(file_.tracks[event.track]));
    if (of_rank == ranks.end()) {
      run_.trace.append(phases_, 1, step);
    } else {
      run_.trace.append(of_rank->second, 0, step);
    }
  }
}

// Below the profiler's steps, where there are any.
void TraceOpener::add_phases(const std::vector<trace_file::PhaseSpan>& spans) {
  const std::uint16_t depth = run_.trace.depth_count(phases_);
  for (const trace_file::PhaseSpan& span : spans) {
    trace::Slice slice;
    slice.begin_ns = time_of(span.begin_ns);
    slice.duration_ns = time_of(span.end_ns) - slice.begin_ns;
    slice.name = file_.strings->intern(base::phase_name(span.phase));
    slice.slice_class = trace::class_of(span.phase);
    run_.trace.append(phases_, depth, slice);
  }
}

// 32 bits suffice for the number of launches in a file, but not for the values it may use.
void TraceOpener::number_launches() {
  for (const Event& event : file_.events) {
    if (event.correlation == trace_file::kNoNumber) continue;
    numbers_.try_emplace(event.correlation, static_cast<std::uint32_t>(numbers_.size() + 1));
  }
}

// Among operators that share an external id, the last one to begin is the innermost.
void TraceOpener::find_operators() {
  for (std::uint32_t i = 0; i < file_.events.size(); ++i) {
    const Event& event = file_.events[i];
    if (event.kind == EventKind::op && event.external != trace_file::kNoNumber)
      operators_[event.external] = i;
  }
}

base::StringId TraceOpener::shapes(const Event& event) {
  if (event.dims == base::kNoString) return base::kNoString;
  const auto [known, fresh] = shapes_.try_emplace({event.dims, event.types}, base::kNoString);
  if (fresh) {
    known->second = file_.strings->intern(
        shapes_of(file_.strings->view(event.dims), file_.strings->view(event.types)));
  }
  return known->second;
}

// Shapes, bytes and bytes per second of a collective.
std::optional<base::StringId> TraceOpener::collective_detail(const Event& event) {
  const base::StringTable& strings = *file_.strings;
  const auto bytes = collective_bytes(strings.view(event.name), strings.view(event.dims),
                                      strings.view(event.types));
  if (!bytes || event.duration_ns <= 0) return std::nullopt;
  const double per_second =
      static_cast<double>(*bytes) * 1e9 / static_cast<double>(event.duration_ns);
  return file_.strings->intern(std::string(strings.view(shapes(event))) + ", " +
                               text::bytes(*bytes).joined() + ", " +
                               text::rate(per_second, "B").joined());
}

void TraceOpener::place(std::uint32_t index) {
  const Event& event = file_.events[index];
  if (event.kind == EventKind::window) return;
  if (on_device(event.kind) || event.kind == EventKind::runtime) {
    give_to_gpu(event);
  } else if (!trace_file::is_step(*file_.strings, event)) {  // they have their own track
    place_on_host(index);
  }
}

void TraceOpener::place_on_host(std::uint32_t index) {
  const Event& event = file_.events[index];
  trace::Slice slice = slice_of(event);
  slice.slice_class = trace::SliceClass::module;
  if (event.kind == EventKind::op) {
    slice.slice_class = trace::classify_operator(file_.strings->view(event.name));
    slice.detail = collective_detail(event).value_or(shapes(event));
    const auto flow = autograd_.find(index);
    if (flow != autograd_.end()) slice.flow = flow->second;
  }
  lanes_.append(event, slice);
}

void TraceOpener::give_to_gpu(const Event& event) {
  capture::GpuRecord record;
  record.kind = gpu_kind(event.kind);
  const trace::Slice slice = slice_of(event);
  record.begin_ns = slice.begin_ns;
  record.end_ns = slice.end_ns();
  record.name = event.name;
  record.bytes = event.bytes;
  if (const auto number = numbers_.find(event.correlation); number != numbers_.end())
    record.correlation = number->second;
  const trace_file::Track& track = file_.tracks[event.track];
  record.thread = event.track;
  record.process = processes_[event.track];
  record.device = static_cast<std::uint32_t>(std::max(track.device, 0));
  record.stream = static_cast<std::uint32_t>(track.stream >= 0 ? track.stream : event.track);
  if (event.launch != trace_file::kNoLaunch) {
    const trace_file::Launch& launch = file_.launches[event.launch];
    record.grid = launch.grid;
    record.block = launch.block;
    record.registers = launch.registers;
    record.shared_memory = launch.shared_memory;
  }
  add_operator(event, record.correlation);
  gpu_.take(record);
}

// The operator and the module that a call belongs to, and with it what it started on the device.
void TraceOpener::add_operator(const Event& event, std::uint32_t correlation) {
  if (correlation == 0) return;
  capture::GpuRecord of;
  of.kind = capture::GpuKind::correlation;
  of.correlation = correlation;
  of.module = event.module;
  if (const auto op = operators_.find(event.external); op != operators_.end()) {
    const Event& around = file_.events[op->second];
    of.op = around.name;
    if (around.module != base::kNoString) of.module = around.module;
  }
  if (of.op != base::kNoString || of.module != base::kNoString) gpu_.take(of);
}

constexpr std::int64_t kMostBytes = std::int64_t{1} << 50;  // of a block or a total

// Blocks that were there before the first event: those that are freed without having been
// allocated, and what else the first event's total has, as one block at an address that no other
// has.
std::vector<memory::Record> TraceOpener::alive_before(
    std::span<const trace_file::MemoryEvent> events) {
  constexpr std::uint64_t kNoAddress = std::numeric_limits<std::uint64_t>::max();
  std::vector<memory::Record> blocks;
  const std::int64_t total = events.front().total_allocated;
  if (total < 0) return blocks;
  memory::Record block;
  block.time_ns = std::min(time_of(events.front().time_ns), time_of(span_.end));
  block.phase = base::Phase::idle;
  block.op = file_.strings->intern("before the trace");
  // A free counts its bytes as negative.
  std::int64_t left =
      std::min(total, kMostBytes) - std::clamp(events.front().bytes, -kMostBytes, kMostBytes);
  std::unordered_set<std::uint64_t> known;
  for (const trace_file::MemoryEvent& event : events) {
    if (event.bytes > 0 || known.contains(event.address)) {
      known.insert(event.address);
      continue;
    }
    known.insert(event.address);
    block.address = event.address;
    block.size = -std::max(event.bytes, -kMostBytes);
    if (block.size > left) continue;  // the total does not have it
    left -= block.size;
    blocks.push_back(block);
  }
  block.address = kNoAddress;
  block.size = left;
  if (left > 0) blocks.push_back(block);
  return blocks;
}

// Addresses are those of one device, or on the host of one process. Events of the host count only
// where no device has any.
void TraceOpener::add_memory() {
  auto& events = file_.memory;
  std::ranges::stable_sort(events, {}, &trace_file::MemoryEvent::time_ns);
  const bool any = std::ranges::any_of(events, [](const auto& one) { return one.device >= 0; });
  const auto place_of = [&](const trace_file::MemoryEvent& event) {
    return std::pair<std::int32_t, std::string_view>(
        event.device, any ? std::string_view() : file_.tracks[event.track].process);
  };
  std::set<std::pair<std::int32_t, std::string_view>> places;
  for (const trace_file::MemoryEvent& event : events)
    if ((event.device >= 0) == any && event.bytes != 0) places.insert(place_of(event));
  if (places.empty()) return;
  const auto shown = *places.begin();
  memory_.device = shown.first;
  memory_.places = std::ssize(places);
  std::erase_if(events, [&](const trace_file::MemoryEvent& event) {
    return (event.device >= 0) != any || event.bytes == 0 || place_of(event) != shown;
  });
  const auto allocate = [this](memory::Record record) {
    run_.memory.append(record);
    record.action = memory::Action::owner;  // decided at once: nothing is guessed
    run_.memory.append(record);
  };
  for (const memory::Record& record : alive_before(events)) allocate(record);
  // As those before the first event stand at the beginning, those behind the last stand at the end.
  const std::int64_t end = time_of(span_.end);
  OpenOperators operators(file_.events);
  for (const trace_file::MemoryEvent& event : events) {
    if (memory_.rank.empty() && trace_file::is_of_rank(file_.tracks[event.track]))
      memory_.rank = file_.tracks[event.track].process_name;
    memory::Record record;
    record.time_ns = std::min(time_of(event.time_ns), end);
    record.address = event.address;
    record.size = std::clamp(event.bytes, -kMostBytes, kMostBytes);
    record.phase = base::Phase::idle;
    if (event.bytes < 0) {
      record.action = memory::Action::free_completed;
      record.size = -record.size;
      run_.memory.append(record);
      continue;
    }
    record.op = operators.at(event.track, event.time_ns);
    record.size = std::min(record.size, (std::int64_t{1} << 60) - run_.memory.current_bytes());
    allocate(record);
  }
}

// Items of "["float", "", "Scalar"]", without their quotes.
std::vector<std::string_view> texts_in(std::string_view list) {
  std::vector<std::string_view> texts;
  for (std::size_t at = list.find('"'); at != std::string_view::npos;) {
    const std::size_t end = list.find('"', at + 1);
    if (end == std::string_view::npos) break;
    texts.push_back(list.substr(at + 1, end - at - 1));
    at = list.find('"', end + 1);
  }
  return texts;
}

}  // namespace

std::string shapes_of(std::string_view dims, std::string_view types) {
  const std::vector<std::string_view> names = texts_in(types);
  std::string text;
  std::size_t depth = 0;
  std::size_t item = 0;
  std::size_t begin = 0;
  for (std::size_t at = 0; at < dims.size(); ++at) {
    if (dims[at] == '[') {
      ++depth;
      if (depth == 2) begin = at;
    }
    if (dims[at] != ']' || depth == 0) continue;
    --depth;
    if (depth != 1) continue;
    const std::string_view shape = dims.substr(begin, at + 1 - begin);
    const std::string_view type = item < names.size() ? names[item] : std::string_view();
    ++item;
    // Numbers and missing inputs have no shape; lists of tensors have several.
    const bool tensor = !type.empty() && type != "Scalar" && type != "ScalarList";
    if ((!tensor && shape == "[]") || shape.find('[', 1) != std::string_view::npos) continue;
    if (!text.empty()) text += ", ";
    for (const char c : shape) {
      if (c == ' ' || c == '\n' || c == '\r' || c == '\t') continue;
      text += c;
      if (c == ',') text += ' ';
    }
    if (!tensor) continue;
    const auto known = std::ranges::find(kKinetoTypes, type, &KinetoType::kineto);
    text.append(" ").append(known != kKinetoTypes.end() ? known->ours : std::string_view("other"));
  }
  return text;
}

base::Result<OpenedTrace> open_trace(trace_file::TraceFile file, run::RunId id) {
  if (file.events.empty()) return text::fail("file_error.reason.no_stretch");
  constexpr std::size_t kMostTracks = 4096;
  if (file.tracks.size() > kMostTracks) {
    return text::fail("trace_error.many_tracks", {{"tracks", std::to_string(file.tracks.size())}});
  }
  run::StartedUpdate started;
  started.id = id;
  OpenedTrace opened{{}, run::Run(started), {}, trace_file::summary_of(file)};
  TraceOpener opener(file, opened.run);
  opened.memory = opener.open();
  opened.counters = opener.take_counters();
  opened.run.finished = true;
  opened.run.stage = run::Stage::done;
  if (!file.devices.empty()) opened.run.device_name = file.devices.front();
  file.events = {};
  file.flows = {};
  file.memory = {};
  file.counters = {};
  opened.about = std::move(file);
  return opened;
}

}  // namespace ts::files
