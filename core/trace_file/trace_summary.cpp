#include "core/trace_file/trace_summary.h"

#include <algorithm>
#include <limits>
#include <optional>
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
  summary.kernels = kernels.take(*file.strings);
  summary.operators = operators.take(*file.strings);
  return summary;
}

}  // namespace ts::trace_file
