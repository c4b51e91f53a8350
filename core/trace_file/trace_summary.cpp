#include "core/trace_file/trace_summary.h"

#include <algorithm>
#include <cstdint>
#include <iterator>
#include <limits>
#include <map>
#include <optional>
#include <string_view>
#include <utility>

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

struct Span {
  std::int64_t begin = 0;
  std::int64_t end = 0;
};

// Spans by begin become disjoint ones.
std::vector<Span> merged(const std::vector<Span>& spans) {
  std::vector<Span> all;
  for (const Span& span : spans) {
    if (all.empty() || span.begin > all.back().end) {
      all.push_back(span);
    } else {
      all.back().end = std::max(all.back().end, span.end);
    }
  }
  return all;
}

std::int64_t length_of(const std::vector<Span>& disjoint) {
  std::int64_t sum = 0;
  for (const Span& span : disjoint) sum += span.end - span.begin;
  return sum;
}

// Time of `a` within the disjoint `b`, both by begin; spans of `a` that overlap all count.
std::int64_t common_time(const std::vector<Span>& a, const std::vector<Span>& b) {
  std::int64_t sum = 0;
  for (std::size_t i = 0, k = 0; i < a.size() && k < b.size();) {
    const std::int64_t begin = std::max(a[i].begin, b[k].begin);
    const std::int64_t end = std::min(a[i].end, b[k].end);
    if (end > begin) sum += end - begin;
    if (a[i].end < b[k].end) {
      ++i;
    } else {
      ++k;
    }
  }
  return sum;
}

// The meaning of a name, looked up once for each.
enum class Meaning : std::uint8_t { unknown, other, collective, wait, loader };
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
  // "enumerate(DataLoader)#_MultiProcessingDataLoaderIter.__next__"
  static Meaning read(std::string_view name) {
    if (name.starts_with("nccl")) return Meaning::collective;
    if (name.starts_with("enumerate(DataLoader)")) return Meaning::loader;
    return name.find("Synchronize") != std::string_view::npos ? Meaning::wait : Meaning::other;
  }
  const base::StringTable* strings_;
  std::vector<Meaning> known_;
};

// The kernels of one device, for their collectives.
struct DeviceKernels {
  std::vector<Span> collectives;
  std::vector<Span> others;
};

void add_collectives(const std::map<std::int32_t, DeviceKernels>& devices, TraceSummary& summary) {
  std::int64_t with = 0;
  for (const auto& [device, kernels] : devices) {
    if (kernels.collectives.empty()) continue;
    const std::vector<Span> collectives = merged(kernels.collectives);
    summary.collective_ns += length_of(collectives);
    summary.hidden_collective_ns += common_time(collectives, merged(kernels.others));
    ++with;
  }
  if (with == 0) return;
  summary.collective_ns /= with;
  summary.hidden_collective_ns /= with;
}

// The host's events of one process.
struct HostProcess {
  std::vector<Span> steps;
  std::vector<Span> whole_steps;
  std::vector<Span> loads;
  std::vector<Span> waits;  // a nanosecond each
};

void add_host(const HostProcess& host, TraceSummary& summary) {
  const std::vector<Span> steps = merged(host.steps);
  summary.steps_ns += length_of(steps);
  summary.loader_in_steps_ns += common_time(merged(host.loads), steps);
  summary.whole_steps += std::ssize(host.whole_steps);
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

// Adds what names of events tell.
void add_named(const TraceFile& file, const Part& part, TraceSummary& summary) {
  Meanings meanings(*file.strings);
  std::map<std::int32_t, DeviceKernels> devices;
  std::map<std::string_view, HostProcess> hosts;
  for (const Event& event : file.events) {
    const Track& track = file.tracks[event.track];
    const Span span = part.cut(event.begin_ns, event.end_ns());
    if (is_step(*file.strings, event)) {
      HostProcess& host = hosts[track.process];
      host.steps.push_back(span);
      if (part.has_whole(event.begin_ns, event.end_ns())) host.whole_steps.push_back(span);
      continue;
    }
    const Meaning meaning = meanings.of(event);
    if (event.kind == EventKind::kernel) {
      DeviceKernels& of = devices[track.device];
      (meaning == Meaning::collective ? of.collectives : of.others).push_back(span);
    } else if (event.kind == EventKind::runtime) {
      if (meaning == Meaning::wait && part.begins_in(event.begin_ns))
        hosts[track.process].waits.push_back({span.begin, span.begin + 1});
    } else if (meaning == Meaning::loader &&
               (event.kind == EventKind::op || event.kind == EventKind::annotation)) {
      ++summary.loader_calls;
      hosts[track.process].loads.push_back(span);
    }
  }
  for (const auto& [process, host] : hosts) add_host(host, summary);
  add_collectives(devices, summary);
}

// How long each device was busy; kernels come by begin.
class Busy {
 public:
  void add(const Track& track, const Span& span) {
    const auto [at, fresh] = devices_.try_emplace(track.device);
    Device& device = at->second;
    if (fresh) {
      device.busy.device = track.device;
      if (is_of_rank(track)) device.busy.rank = track.process_name;
      device.first = span.begin;
      device.until = span.begin;
    }
    ++device.busy.kernels;
    device.busy.busy_ns += std::max<std::int64_t>(span.end - std::max(span.begin, device.until), 0);
    device.until = std::max(device.until, span.end);
  }
  std::vector<DeviceBusy> take() {
    std::vector<DeviceBusy> all;
    for (auto& [number, device] : devices_) {
      device.busy.idle_ns = device.until - device.first - device.busy.busy_ns;
      all.push_back(std::move(device.busy));
    }
    return all;
  }

 private:
  struct Device {
    DeviceBusy busy;
    std::int64_t first = 0;
    std::int64_t until = 0;
  };
  std::map<std::int32_t, Device> devices_;
};

// The sum of damaged files may have no room.
std::int64_t mean_busy(const std::vector<DeviceBusy>& devices) {
  const auto count = std::max<std::int64_t>(std::ssize(devices), 1);
  std::int64_t mean = 0;
  std::int64_t rest = 0;
  for (const DeviceBusy& device : devices) {
    mean += device.busy_ns / count;
    rest += device.busy_ns % count;
  }
  return mean + rest / count;
}

}  // namespace

bool is_step(const base::StringTable& strings, const Event& event) {
  return (event.kind == EventKind::annotation || event.kind == EventKind::op) &&
         strings.view(event.name).starts_with("ProfilerStep#");
}

TraceSummary summary_of(const TraceFile& file) {
  TraceSummary summary;
  Totals kernels;
  Totals operators;
  Busy busy;
  const Part part(file);
  std::optional<Span> span;
  for (const Event& event : file.events) {
    const Span within = part.cut(event.begin_ns, event.end_ns());
    if (!span) span = within;
    span->end = std::max(span->end, within.end);
    if (is_step(*file.strings, event)) {
      summary.steps.push_back({event.name, event.begin_ns, event.duration_ns});
    } else if (event.kind == EventKind::op) {
      operators.add(event);
    }
    if (event.kind != EventKind::kernel) continue;
    kernels.add(event);
    busy.add(file.tracks[event.track], within);
  }
  if (span) summary.span_ns = span->end - span->begin;
  summary.devices = busy.take();
  summary.gpu_busy_ns = mean_busy(summary.devices);
  summary.by_number = file.by_number;
  add_named(file, part, summary);
  summary.nameless = file.strings->overflowed();
  summary.kernels = kernels.take(*file.strings);
  summary.operators = operators.take(*file.strings);
  return summary;
}

}  // namespace ts::trace_file
