#include "core/trace_file/trace_summary.h"

#include <algorithm>
#include <cstdint>
#include <iterator>
#include <limits>
#include <map>
#include <optional>
#include <string_view>
#include <utility>

#include "core/trace_file/trace_span.h"

namespace ts::trace_file {
namespace {

// Sums by name index, which is a small number.
class Totals {
 public:
  void add(const Event& event) {
    if (event.name >= by_name_.size()) by_name_.resize(event.name + 1);
    NameTotal& total = by_name_[event.name];
    total.name = event.name;
    ++total.count;
    // Totals of a damaged file saturate at the largest number.
    if (__builtin_add_overflow(total.total_ns, event.duration_ns, &total.total_ns))
      total.total_ns = std::numeric_limits<std::int64_t>::max();
  }
  std::vector<NameTotal> take(const base::StringTable& strings) {
    std::erase_if(by_name_, [](const NameTotal& total) { return total.count == 0; });
    std::ranges::sort(by_name_, [&](const NameTotal& a, const NameTotal& b) {
      return a.total_ns != b.total_ns ? a.total_ns > b.total_ns
                                      : strings.view(a.name) < strings.view(b.name);
    });
    return std::move(by_name_);
  }

 private:
  std::vector<NameTotal> by_name_;
};

// The meaning of a name, looked up once for each.
enum class Meaning : std::uint8_t { unknown, other, collective, copy, wait, launch, loader };
class Meanings {
 public:
  explicit Meanings(const base::StringTable& strings) : strings_(&strings) {}
  Meaning of(const Event& event) {
    if (event.name >= known_.size()) known_.resize(event.name + 1, Meaning::unknown);
    Meaning& known = known_[event.name];
    if (known == Meaning::unknown) known = read(strings_->view(event.name));
    return known;
  }

 private:
  // "ncclDevKernel_AllReduce_Sum_f32_RING_LL(...)", "cudaStreamSynchronize",
  // "enumerate(DataLoader)#_MultiProcessingDataLoaderIter.__next__", "cudaLaunchKernel";
  // ROCm 7.1 and earlier call copies kernels.
  static Meaning read(std::string_view name) {
    if (name.starts_with("nccl")) return Meaning::collective;
    if (name.starts_with("enumerate(DataLoader)")) return Meaning::loader;
    const auto has = [name](std::string_view part) { return name.find(part) != name.npos; };
    if (has("rcclGenericKernel")) return Meaning::collective;
    if (name.starts_with("__amd_rocclr_copyBuffer") || name.starts_with("MEMORY_COPY_"))
      return Meaning::copy;
    if (has("Synchronize")) return Meaning::wait;
    return has("Launch") ? Meaning::launch : Meaning::other;
  }
  const base::StringTable* strings_;
  std::vector<Meaning> known_;
};

// The host's events of one process.
struct HostProcess {
  std::vector<Span> steps;
  std::vector<Span> whole_steps;
  std::vector<Span> loads;
  std::vector<Span> waits;                        // a nanosecond each
  std::vector<std::int64_t> operators, launches;  // when they began, in order
};
using Hosts = std::map<std::string_view, HostProcess>;

void add_host(const HostProcess& host, TraceSummary& summary) {
  const std::vector<Span> steps = merged(host.steps);
  summary.steps_ns += length_of(steps);
  summary.loader_in_steps_ns += common_time(merged(host.loads), steps);
  summary.whole_steps += std::ssize(host.whole_steps);
  summary.steps_of_one = std::max<std::int64_t>(summary.steps_of_one, std::ssize(host.whole_steps));
  summary.waits_in_steps += common_time(host.waits, merged(host.whole_steps));
}

// Times of the part that was asked for, since the first event; those of damaged files are cut to
// what sums can hold.
class Part {
 public:
  explicit Part(const TraceFile& file) {
    if (!file.events.empty()) first_ = file.events.front().begin_ns;
    if (file.window) window_ = {since_first(file.window->begin), since_first(file.window->end)};
  }
  [[nodiscard]] Span cut(std::int64_t begin, std::int64_t end) const {
    return {std::clamp(since_first(begin), window_.begin, window_.end),
            std::clamp(since_first(end), window_.begin, window_.end)};
  }
  // A call of no length at the end of the part is not in it.
  [[nodiscard]] bool begins_in(std::int64_t begin) const {
    const std::int64_t since = since_first(begin);
    return since >= window_.begin && (since < window_.end || window_.end == kMost);
  }
  [[nodiscard]] bool has_whole(std::int64_t begin, std::int64_t end) const {
    return since_first(begin) >= window_.begin && since_first(end) <= window_.end;
  }

 private:
  static constexpr std::int64_t kMost = std::int64_t{1} << 58;
  [[nodiscard]] std::int64_t since_first(std::int64_t time) const {
    std::int64_t since = 0;
    if (__builtin_sub_overflow(time, first_, &since)) return kMost;
    return std::clamp<std::int64_t>(since, -kMost, kMost);
  }
  std::int64_t first_ = 0;
  Span window_{-kMost, kMost};
};

struct Device {
  DeviceBusy about;
  DeviceSpans work;
};
using Devices = std::map<std::int32_t, Device>;

std::string_view rank_of(const Track& track) {
  return is_of_rank(track) ? std::string_view(track.process_name) : std::string_view();
}

// Sorts the events of a trace by what they are; events come by begin.
class Sorter {
 public:
  Sorter(const TraceFile& file, const Part& part, TraceSummary& summary)
      : file_(file), part_(part), summary_(summary), meanings_(*file.strings) {}

  // `span`: what of the event lies in the part.
  void add(const Event& event, const Span& span) {
    if (is_step(*file_.strings, event)) return add_step(event, span);
    switch (event.kind) {
      case EventKind::kernel:
      case EventKind::copy:
      case EventKind::fill:
        return add_work(event, span);
      case EventKind::runtime:
        return add_call(event, span);
      case EventKind::op:
        operators_.add(event);
        host_of(event).operators.push_back(span.begin);
        return add_load(event, span);
      case EventKind::annotation:
        return add_load(event, span);
      default:
        return;
    }
  }
  [[nodiscard]] const Hosts& hosts() const { return hosts_; }
  [[nodiscard]] const std::vector<const Event*>& steps() const { return steps_; }
  Devices& devices() { return devices_; }
  Totals& kernels() { return kernels_; }
  Totals& operators() { return operators_; }

 private:
  HostProcess& host_of(const Event& event) { return hosts_[file_.tracks[event.track].process]; }

  void add_step(const Event& event, const Span& span) {
    steps_.push_back(&event);
    HostProcess& host = host_of(event);
    host.steps.push_back(span);
    if (part_.has_whole(event.begin_ns, event.end_ns())) host.whole_steps.push_back(span);
  }

  void add_work(const Event& event, const Span& span) {
    const Track& track = file_.tracks[event.track];
    Device& device = devices_[track.device];
    device.about.device = track.device;
    device.about.rank = rank_of(track);
    if (event.kind == EventKind::kernel) {
      ++device.about.kernels;
      kernels_.add(event);
    }
    spans_of(event, device.work).push_back(span);
  }

  std::vector<Span>& spans_of(const Event& event, DeviceSpans& work) {
    if (event.kind == EventKind::copy) return work.copies;
    if (event.kind == EventKind::fill) return work.compute;
    const Meaning meaning = meanings_.of(event);
    if (meaning == Meaning::copy) return work.copies;
    return meaning == Meaning::collective ? work.collectives : work.compute;
  }

  void add_call(const Event& event, const Span& span) {
    const Meaning meaning = meanings_.of(event);
    if (meaning == Meaning::launch) host_of(event).launches.push_back(span.begin);
    if (meaning == Meaning::wait && part_.begins_in(event.begin_ns))
      host_of(event).waits.push_back({span.begin, span.begin + 1});
  }

  void add_load(const Event& event, const Span& span) {
    if (meanings_.of(event) != Meaning::loader) return;
    ++summary_.loader_calls;
    host_of(event).loads.push_back(span);
  }

  const TraceFile& file_;
  const Part& part_;
  TraceSummary& summary_;
  Meanings meanings_;
  Hosts hosts_;
  Devices devices_;
  std::vector<const Event*> steps_;
  Totals kernels_;
  Totals operators_;
};

// A device that ran a kernel.
struct Timed {
  std::string rank;
  DeviceTimeline timeline;
};

// Fills in what devices did; devices without a kernel are left out.
std::vector<Timed> add_devices(Devices& devices, TraceSummary& summary) {
  std::vector<Timed> all;
  std::vector<DeviceTime> times;
  std::int64_t with_collectives = 0;
  for (auto& [number, device] : devices) {
    if (device.about.kernels == 0) continue;
    DeviceTimeline timeline(device.work);
    if (!device.work.collectives.empty()) ++with_collectives;
    summary.collective_ns += timeline.collective_ns();
    summary.hidden_collective_ns += timeline.hidden_collective_ns();
    times.push_back(device.about.time = timeline.whole());
    all.push_back({device.about.rank, std::move(timeline)});
    summary.devices.push_back(std::move(device.about));
  }
  summary.gpu = mean_of(times);
  summary.gpu_busy_ns = summary.gpu.busy_ns();
  with_collectives = std::max<std::int64_t>(with_collectives, 1);
  summary.collective_ns /= with_collectives;
  summary.hidden_collective_ns /= with_collectives;
  return all;
}

std::int64_t count_within(const std::vector<std::int64_t>& times, const Span& span) {
  return std::ranges::lower_bound(times, span.end) - std::ranges::lower_bound(times, span.begin);
}

// Counts and times of a step of a process, whose time in the part is `span`.
void add_to_step(const HostProcess& host, const std::vector<Timed>& devices, std::string_view rank,
                 const Span& span, StepSpan& step) {
  step.operators = count_within(host.operators, span);
  step.launches = count_within(host.launches, span);
  std::vector<DeviceTime> times;
  for (const Timed& device : devices) {
    if (device.rank == rank) times.push_back(device.timeline.within(span));
  }
  step.gpu = mean_of(times);
}

}  // namespace

bool is_step(const base::StringTable& strings, const Event& event) {
  return (event.kind == EventKind::annotation || event.kind == EventKind::op) &&
         strings.view(event.name).starts_with("ProfilerStep#");
}

TraceSummary summary_of(const TraceFile& file) {
  TraceSummary summary;
  const Part part(file);
  Sorter sorter(file, part, summary);
  for (const Event& event : file.events)
    sorter.add(event, part.cut(event.begin_ns, event.end_ns()));
  const Span all = span_of(file);
  const Span span = part.cut(all.begin, all.end);
  summary.span_ns = span.end - span.begin;
  const std::vector<Timed> devices = add_devices(sorter.devices(), summary);
  for (const auto& [process, host] : sorter.hosts()) add_host(host, summary);
  for (const Event* event : sorter.steps()) {
    const Track& track = file.tracks[event->track];
    StepSpan& step = summary.steps.emplace_back(StepSpan{.name = event->name,
                                                         .rank = std::string(rank_of(track)),
                                                         .begin_ns = event->begin_ns,
                                                         .duration_ns = event->duration_ns});
    add_to_step(sorter.hosts().at(track.process), devices, rank_of(track),
                part.cut(event->begin_ns, event->end_ns()), step);
  }
  summary.by_number = file.by_number;
  summary.nameless = file.strings->overflowed();
  summary.kernels = sorter.kernels().take(*file.strings);
  summary.operators = sorter.operators().take(*file.strings);
  return summary;
}

}  // namespace ts::trace_file
