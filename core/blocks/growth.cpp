#include "core/blocks/growth.h"

#include <algorithm>
#include <tuple>
#include <unordered_map>

namespace ts::blocks {
namespace {

struct Alive {
  std::int64_t bytes = 0;
  std::int64_t count = 0;
  memory::BlockIndex newest = memory::kNone;
};
using ByStack = std::unordered_map<allocator::StackIndex, Alive>;

std::vector<memory::EventIndex> ends_of_steps(const memory::AllocationLog& log) {
  std::vector<memory::EventIndex> ends;
  std::int32_t step = -1;
  for (const memory::PhaseSpan& span : log.phases()) {
    if (span.step < 0 || span.step == step) continue;
    if (step >= 0 && span.first_event > 0) ends.push_back(span.first_event - 1);
    step = span.step;
  }
  return ends;
}

ByStack alive_after(const BlockSource& source, memory::EventIndex event) {
  ByStack alive;
  for (const memory::BlockIndex block : source.log.live_after(event)) {
    Alive& group = alive[source.stack_of(block)];
    group.bytes += source.log.blocks()[block].size;
    ++group.count;
    group.newest = block;  // live_after() is in the order of allocation
  }
  return alive;
}

}  // namespace

Growth find_growth(const BlockSource& source) {
  Growth growth;
  growth.ends = ends_of_steps(source.log);
  if (!growth.known()) return growth;
  growth.first_total = source.log.events()[growth.ends.front()].total_after;
  growth.last_total = source.log.events()[growth.ends.back()].total_after;

  struct Trend {
    std::int64_t grown = 0;  // steps
    bool shrank = false;
  };
  std::unordered_map<allocator::StackIndex, Trend> trends;
  const ByStack first = alive_after(source, growth.ends.front());
  ByStack before = first;
  for (std::size_t i = 1; i < growth.ends.size(); ++i) {
    ByStack now = alive_after(source, growth.ends[i]);
    for (const auto& [stack, alive] : now) {
      const auto old = before.find(stack);
      const std::int64_t bytes = old == before.end() ? 0 : old->second.bytes;
      Trend& trend = trends[stack];
      if (alive.bytes > bytes) ++trend.grown;
      if (alive.bytes < bytes) trend.shrank = true;
    }
    for (const auto& [stack, alive] : before) {
      if (!now.contains(stack)) trends[stack].shrank = true;
    }
    before = std::move(now);
  }
  for (const auto& [stack, trend] : trends) {
    if (trend.shrank || 2 * trend.grown < growth.intervals()) continue;
    const Alive& last = before.at(stack);
    const auto old = first.find(stack);
    const Alive begin = old == first.end() ? Alive{} : old->second;
    growth.stacks.push_back({.stack = stack,
                             .first_bytes = begin.bytes,
                             .last_bytes = last.bytes,
                             .first_count = begin.count,
                             .last_count = last.count,
                             .newest = last.newest});
  }
  std::ranges::sort(growth.stacks, [](const GrowingStack& a, const GrowingStack& b) {
    return std::tuple(b.last_bytes - b.first_bytes, a.stack) <
           std::tuple(a.last_bytes - a.first_bytes, b.stack);
  });
  return growth;
}

}  // namespace ts::blocks
