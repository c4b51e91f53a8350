#include <benchmark/benchmark.h>

#include <cstdint>
#include <map>
#include <memory>
#include <random>
#include <vector>

#include "core/trace/trace_store.h"
#include "tests/bench/trace_synthetic.h"

namespace ts::trace::bench {
namespace {

constexpr std::int32_t kPixels = 1800;

// All lanes together hold `slices`. Made once for each size.
const Synthetic& many_lanes(std::int64_t slices) {
  static std::map<std::int64_t, std::unique_ptr<Synthetic>> made;
  auto& trace = made[slices];
  if (!trace) {
    trace = std::make_unique<Synthetic>();
    fill(*trace, slices);
  }
  return *trace;
}

// One lane holds them all.
const Synthetic& one_lane(std::int64_t slices) {
  static std::map<std::int64_t, std::unique_ptr<Synthetic>> made;
  auto& trace = made[slices];
  if (!trace) {
    trace = std::make_unique<Synthetic>();
    add_tracks(trace->store);
    SyntheticLane lane(trace->strings);
    for (std::int64_t i = 0; i < slices; ++i) trace->store.append(0, 0, lane.next());
  }
  return *trace;
}

void append(benchmark::State& state) {
  base::StringTable strings;
  SyntheticLane lane(strings);
  constexpr std::size_t kBatch = 4096;
  std::vector<Slice> batch;
  for (std::size_t i = 0; i < kBatch; ++i) batch.push_back(lane.next());
  const std::int64_t span = batch.back().end_ns() - batch.front().begin_ns;
  double bytes = 0;
  for (auto _ : state) {
    TraceStore store;
    add_tracks(store);
    std::int64_t shift = 0;
    for (std::int64_t done = 0; done < state.range(0); shift += span) {
      for (Slice slice : batch) {
        slice.begin_ns += shift;
        store.append(0, 0, slice);
      }
      done += static_cast<std::int64_t>(kBatch);
    }
    bytes = static_cast<double>(store.bytes()) / static_cast<double>(store.slice_count());
    state.SetItemsProcessed(state.items_processed() +
                            static_cast<std::int64_t>(store.slice_count()));
    state.PauseTiming();  // giving it back is not appending
    store = TraceStore();
    state.ResumeTiming();
  }
  state.counters["bytes/slice"] = bytes;
}

// Views of range(1) parts of the whole, at places that change.
void query_one_lane(benchmark::State& state) {
  const TraceStore& store = one_lane(state.range(0)).store;
  const base::TimeRange all = store.range();
  const std::int64_t view = all.length() / state.range(1);
  std::minstd_rand random(3);
  std::vector<VisibleSlice> boxes;
  std::size_t count = 0;
  for (auto _ : state) {
    const std::int64_t room = all.length() - view;
    const std::int64_t begin =
        all.begin + (room == 0 ? 0 : static_cast<std::int64_t>(random()) % room);
    store.query(0, 0, {begin, begin + view}, kPixels, boxes);
    count += boxes.size();
    benchmark::DoNotOptimize(boxes.data());
  }
  state.counters["boxes"] = static_cast<double>(count) / static_cast<double>(state.iterations());
}

// The queries of one frame of the timeline: every lane, everything in view.
void query_every_lane(benchmark::State& state) {
  const TraceStore& store = many_lanes(state.range(0)).store;
  std::vector<VisibleSlice> boxes;
  for (auto _ : state) {
    for (TrackId track = 0; track < kTracks; ++track) {
      for (std::uint16_t depth = 0; depth < kDepths; ++depth) {
        store.query(track, depth, store.range(), kPixels, boxes);
        benchmark::DoNotOptimize(boxes.data());
      }
    }
  }
}

void slice_at(benchmark::State& state) {
  const TraceStore& store = one_lane(state.range(0)).store;
  const base::TimeRange all = store.range();
  std::mt19937_64 random(3);
  for (auto _ : state) {
    const auto place = static_cast<std::int64_t>(random() >> 1U) % all.length();
    benchmark::DoNotOptimize(store.slice_at(0, 0, all.begin + place));
  }
}

void flow_partner(benchmark::State& state) {
  const TraceStore& store = many_lanes(state.range(0)).store;
  const std::uint32_t count = store.lane_size(0, 1);
  std::minstd_rand random(3);
  for (auto _ : state) {
    const auto index = static_cast<std::uint32_t>(random() % count / 4 * 4);
    benchmark::DoNotOptimize(store.flow_partner({.track = 0, .depth = 1, .index = index}));
  }
}

// Found everywhere, and stops early.
void search_common(benchmark::State& state) {
  const Synthetic& trace = many_lanes(state.range(0));
  for (auto _ : state) {
    benchmark::DoNotOptimize(trace.store.search(trace.strings, "softmax", 1000));
  }
}

// In the table but in no slice: every column is read to its end.
void search_to_the_end(benchmark::State& state) {
  const Synthetic& trace = many_lanes(state.range(0));
  base::StringTable strings;
  SyntheticLane same_names(strings);
  strings.intern("needle");
  for (auto _ : state) {
    benchmark::DoNotOptimize(trace.store.search(strings, "needle", 1000));
  }
}

constexpr std::int64_t kMillion = 1'000'000;
constexpr std::int64_t kTenMillion = 10'000'000;

BENCHMARK(append)->Arg(kMillion)->Arg(kTenMillion)->Unit(benchmark::kMillisecond);
BENCHMARK(query_one_lane)
    ->ArgsProduct({{kMillion, kTenMillion}, {1, 10, 1000, 100'000}})
    ->Unit(benchmark::kMicrosecond);
BENCHMARK(query_every_lane)->Arg(kMillion)->Arg(kTenMillion)->Unit(benchmark::kMicrosecond);
BENCHMARK(slice_at)->Arg(kMillion)->Arg(kTenMillion);
BENCHMARK(flow_partner)->Arg(kMillion)->Arg(kTenMillion);
BENCHMARK(search_common)->Arg(kMillion)->Arg(kTenMillion)->Unit(benchmark::kMillisecond);
BENCHMARK(search_to_the_end)->Arg(kMillion)->Arg(kTenMillion)->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace ts::trace::bench

BENCHMARK_MAIN();
