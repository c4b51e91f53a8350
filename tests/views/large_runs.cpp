#include <algorithm>
#include <random>
#include <string>
#include <vector>

#include "tests/views/synthetic_run.h"

namespace ts::views::testing {
namespace {

using memory::Action;
using memory::Category;
using trace::SliceClass;

std::unique_ptr<run::Run> empty_large_run() {
  run::StartedUpdate started;
  started.id = 1;
  started.begin_ns = 5'000'000'000;
  return std::make_unique<run::Run>(started);
}

}  // namespace

std::unique_ptr<run::Run> dense_run(base::StringTable& strings, std::uint64_t slices,
                                    std::uint32_t seed) {
  auto out = empty_large_run();
  std::mt19937 random(seed);
  std::vector<base::StringId> names;
  for (int i = 0; i < 64; ++i) names.push_back(strings.intern("aten::op_" + std::to_string(i)));
  constexpr std::uint16_t kDepths = 4;
  constexpr int kTracks = 3;
  std::uniform_int_distribution<std::int64_t> length(200, 20'000);
  std::uniform_int_distribution<int> pick(0, 63);
  const std::uint64_t per_lane = std::max<std::uint64_t>(1, slices / (kTracks * kDepths));
  for (int t = 0; t < kTracks; ++t) {
    const auto track = out->trace.add_track(
        {t == 2 ? trace::TrackKind::autograd_thread : trace::TrackKind::cpu_thread,
         "thread " + std::to_string(t)});
    for (std::uint16_t depth = 0; depth < kDepths; ++depth) {
      std::int64_t now = out->begin_ns;
      for (std::uint64_t i = 0; i < per_lane; ++i) {
        trace::Slice slice;
        slice.begin_ns = now;
        slice.duration_ns = length(random);
        const int which = pick(random);
        slice.name = names[static_cast<std::size_t>(which)];
        slice.slice_class =
            static_cast<SliceClass>(static_cast<int>(SliceClass::matmul) + which % 7);
        out->trace.append(track, depth, slice);
        now += slice.duration_ns + length(random) / 4;
      }
    }
  }
  out->stage = run::Stage::done;
  out->finished = true;
  return out;
}

std::unique_ptr<run::Run> busy_memory_run(base::StringTable& strings, std::uint32_t events,
                                          std::uint32_t seed) {
  auto out = empty_large_run();
  std::mt19937 random(seed);
  std::vector<std::uint64_t> live;
  std::uint64_t next = 4096;
  std::int64_t now = out->begin_ns;
  std::uniform_int_distribution<std::int64_t> size(1 << 16, 1 << 24);
  std::uniform_int_distribution<int> category(0, memory::kCategoryCount - 1);
  for (std::uint32_t i = 0; i < events; ++i) {
    memory::Record record;
    now += 1 + static_cast<std::int64_t>(random() % 20'000);
    record.time_ns = now;
    record.module = strings.intern("blocks." + std::to_string(random() % 48) + ".attn");
    const bool grow = live.empty() || (live.size() < 3000 && random() % 100 < 53);
    if (grow) {
      record.action = Action::alloc;
      record.address = next;
      record.size = size(random);
      live.push_back(next);
      next += 4096;
      out->memory.append(record);
      record.action = Action::owner;
      record.category = static_cast<Category>(category(random));
      out->memory.append(record);
    } else {
      const std::size_t which = random() % live.size();
      record.action = Action::free_completed;
      record.address = live[which];
      live[which] = live.back();
      live.pop_back();
      out->memory.append(record);
    }
  }
  out->stage = run::Stage::done;
  out->finished = true;
  return out;
}

}  // namespace ts::views::testing
