#include "core/trace_file/trace_summary.h"

#include <algorithm>
#include <cstdint>
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

}  // namespace

namespace {

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

// Adds what names of events tell. Times of damaged files are cut to what sums can hold.
void add_named(const TraceFile& file, TraceSummary& summary) {
  constexpr std::int64_t kMost = std::int64_t{1} << 58;
  const std::int64_t first = file.events.empty() ? 0 : file.events.front().begin_ns;
  const auto span_of = [&](std::int64_t begin, std::int64_t end) {
    std::int64_t from = 0;
    std::int64_t to = 0;
    if (__builtin_sub_overflow(begin, first, &from)) from = kMost;
    if (__builtin_sub_overflow(end, first, &to)) to = kMost;
    return Span{std::clamp<std::int64_t>(from, 0, kMost), std::clamp<std::int64_t>(to, 0, kMost)};
  };
  Meanings meanings(*file.strings);
  std::map<std::int32_t, DeviceKernels> devices;
  std::vector<Span> steps, loads, waits;
  for (const StepSpan& step : summary.steps)
    steps.push_back(span_of(step.begin_ns, step.begin_ns + step.duration_ns));
  for (const Event& event : file.events) {
    const Meaning meaning = meanings.of(event);
    const Span span = span_of(event.begin_ns, event.end_ns());
    if (event.kind == EventKind::kernel) {
      DeviceKernels& of = devices[file.tracks[event.track].device];
      (meaning == Meaning::collective ? of.collectives : of.others).push_back(span);
    } else if (event.kind == EventKind::runtime) {
      if (meaning == Meaning::wait) waits.push_back({span.begin, span.begin + 1});
    } else if (meaning == Meaning::loader &&
               (event.kind == EventKind::op || event.kind == EventKind::annotation)) {
      ++summary.loader_calls;
      loads.push_back(span);
    }
  }
  steps = merged(steps);
  summary.waits_in_steps = common_time(waits, steps);  // each is a nanosecond long
  summary.loader_in_steps_ns = common_time(merged(loads), steps);
  add_collectives(devices, summary);
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
  std::optional<std::int64_t> end_ns;
  std::optional<std::int64_t> busy_until;
  for (const Event& event : file.events) {
    end_ns = std::max(end_ns.value_or(event.end_ns()), event.end_ns());
    if (is_step(*file.strings, event)) {
      summary.steps.push_back({event.name, event.begin_ns, event.duration_ns});
    } else if (event.kind == EventKind::op) {
      operators.add(event);
    }
    if (event.kind != EventKind::kernel) continue;
    kernels.add(event);
    // Kernels are ordered by begin.
    const std::int64_t begin = std::max(event.begin_ns, busy_until.value_or(event.begin_ns));
    summary.gpu_busy_ns += std::max<std::int64_t>(event.end_ns() - begin, 0);
    busy_until = std::max(busy_until.value_or(event.end_ns()), event.end_ns());
  }
  if (end_ns) summary.span_ns = *end_ns - file.events.front().begin_ns;
  add_named(file, summary);
  summary.nameless = file.strings->overflowed();
  summary.kernels = kernels.take(*file.strings);
  summary.operators = operators.take(*file.strings);
  return summary;
}

}  // namespace ts::trace_file
