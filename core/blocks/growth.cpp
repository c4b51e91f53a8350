#include "core/blocks/growth.h"

#include <algorithm>
#include <map>
#include <tuple>
#include <unordered_map>
#include <utility>

#include "core/allocator/profiler_steps.h"
#include "core/blocks/stack_parts.h"
#include "core/memory/step_ends.h"

namespace ts::blocks {
namespace {

using Frames = std::vector<allocator::FrameIndex>;

// One number for stacks that differ in their step alone.
class Places {
 public:
  explicit Places(const allocator::Snapshot& snapshot) : snapshot_(snapshot) {}

  std::size_t of(allocator::StackIndex stack) {
    const auto [known, fresh] = by_stack_.try_emplace(stack, 0);
    if (fresh) {
      const auto [at, added] =
          numbers_.try_emplace(frames_but_step(snapshot_, stack), frames_.size());
      if (added) frames_.push_back(&at->first);
      known->second = at->second;
    }
    return known->second;
  }
  [[nodiscard]] const Frames& frames(std::size_t place) const { return *frames_[place]; }

 private:
  const allocator::Snapshot& snapshot_;
  std::map<Frames, std::size_t> numbers_;
  std::vector<const Frames*> frames_;  // of numbers_
  std::unordered_map<allocator::StackIndex, std::size_t> by_stack_;
};

struct Alive {
  std::int64_t bytes = 0;
  std::vector<memory::BlockIndex> blocks;
};
using ByPlace = std::unordered_map<std::size_t, Alive>;

ByPlace alive_after(const BlockSource& source, memory::EventIndex event, Places& places) {
  ByPlace alive;
  for (const memory::BlockIndex block : source.log.live_after(event)) {
    Alive& group = alive[places.of(source.stack_of(block))];
    group.bytes += source.log.blocks()[block].size;
    group.blocks.push_back(block);  // live_after() is in the order of allocation
  }
  return alive;
}

struct Trend {
  std::int64_t grown = 0;  // steps
  bool shrank = false;
};

void note_step(const ByPlace& before, const ByPlace& now,
               std::unordered_map<std::size_t, Trend>& trends) {
  for (const auto& [place, alive] : now) {
    const auto old = before.find(place);
    const std::int64_t bytes = old == before.end() ? 0 : old->second.bytes;
    Trend& trend = trends[place];
    if (alive.bytes > bytes) ++trend.grown;
    if (alive.bytes < bytes) trend.shrank = true;
  }
  for (const auto& [place, alive] : before) {
    if (!now.contains(place)) trends[place].shrank = true;
  }
}

GrowingStack growing(const Frames& frames, const Alive& first, Alive&& last) {
  const auto count = [](const Alive& alive) {
    return static_cast<std::int64_t>(alive.blocks.size());
  };
  return {.frames = frames,
          .first_bytes = first.bytes,
          .last_bytes = last.bytes,
          .first_count = count(first),
          .last_count = count(last),
          .alive = std::move(last.blocks)};
}

// The last event of every step whose end an annotation tells.
std::vector<memory::EventIndex> annotated_ends(const BlockSource& source) {
  constexpr std::int64_t kPerMicrosecond = 1000;
  std::vector<memory::EventIndex> ends;
  for (const allocator::ProfilerStep& step :
       allocator::profiler_steps(source.snapshot, static_cast<std::int64_t>(source.device))) {
    if (!step.ends()) continue;
    const memory::EventIndex last = source.log.event_at(step.end_us * kPerMicrosecond - 1);
    if (last != source.log.event_at(step.begin_us * kPerMicrosecond - 1)) ends.push_back(last);
  }
  return ends;
}

}  // namespace

Growth find_growth(const BlockSource& source) {
  Growth growth;
  growth.ends = annotated_ends(source);
  if (growth.ends.empty()) growth.ends = memory::step_ends(source.log);
  if (!growth.known()) return growth;
  growth.first_total = source.log.events()[growth.ends.front()].total_after;
  growth.last_total = source.log.events()[growth.ends.back()].total_after;

  Places places(source.snapshot);
  std::unordered_map<std::size_t, Trend> trends;
  ByPlace first = alive_after(source, growth.ends.front(), places);
  ByPlace last = first;
  for (std::size_t i = 1; i < growth.ends.size(); ++i) {
    ByPlace now = alive_after(source, growth.ends[i], places);
    note_step(last, now, trends);
    last = std::move(now);
  }
  for (const auto& [place, trend] : trends) {
    if (trend.shrank || 2 * trend.grown < growth.intervals()) continue;
    growth.stacks.push_back(growing(places.frames(place), first[place], std::move(last.at(place))));
  }
  std::ranges::sort(growth.stacks, [](const GrowingStack& a, const GrowingStack& b) {
    return std::tuple(b.last_bytes - b.first_bytes, a.frames) <
           std::tuple(a.last_bytes - a.first_bytes, b.frames);
  });
  return growth;
}

}  // namespace ts::blocks
