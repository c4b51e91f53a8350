#include <benchmark/benchmark.h>

#include <cmath>
#include <cstdint>
#include <random>
#include <vector>

#include "core/memory/active_memory_layout.h"
#include "core/memory/allocation_log.h"
#include "core/memory/stack_column.h"

namespace ts::memory {
namespace {

// Training steps as seen by an allocator: parameters and optimizer state stay, a forward piles up
// activations amid temporaries, a backward takes them down and makes gradients.
std::vector<Record> training_records(std::size_t events, std::size_t live_blocks) {
  std::mt19937 random(7);
  const auto size = [&](double smallest, double largest) {
    const double part = static_cast<double>(random()) / static_cast<double>(random.max());
    return static_cast<std::int64_t>(smallest * std::pow(largest / smallest, part));
  };
  std::vector<Record> records;
  std::int64_t time_ns = 0;
  std::uint64_t next_address = 0x10000;
  const auto put = [&](Action action, std::uint64_t address, std::int64_t bytes,
                       base::Phase phase) {
    Record record;
    record.time_ns = time_ns += 500;
    record.address = address;
    record.size = bytes;
    record.action = action;
    record.phase = phase;
    record.graph_kept = true;
    records.push_back(record);
  };
  const auto own = [&](std::uint64_t address, Category category, base::Phase phase) {
    put(Action::owner, address, 0, phase);
    records.back().category = category;
  };
  const auto temporary = [&](base::Phase phase) {
    const std::uint64_t address = next_address++;
    put(Action::alloc, address, size(1e3, 1e8), phase);
    put(Action::free_completed, address, 0, phase);
  };

  const std::size_t parameters = live_blocks / 8;
  const std::size_t activations = live_blocks / 2;
  for (std::size_t i = 0; i < 3 * parameters; ++i) {
    const std::uint64_t address = next_address++;
    put(Action::alloc, address, size(1e3, 1e7), base::Phase::setup);
    own(address, i % 3 == 0 ? Category::parameter : Category::optimizer_state, base::Phase::setup);
  }
  while (records.size() < events) {
    std::vector<std::uint64_t> saved;
    put(Action::phase_begin, 0, 0, base::Phase::forward);
    for (std::size_t i = 0; i < activations; ++i) {
      temporary(base::Phase::forward);
      saved.push_back(next_address++);
      put(Action::alloc, saved.back(), size(1e4, 2e8), base::Phase::forward);
      put(Action::operator_end, 0, 0, base::Phase::forward);
    }
    put(Action::phase_end, 0, 0, base::Phase::forward);
    std::vector<std::uint64_t> gradients;
    put(Action::phase_begin, 0, 0, base::Phase::backward);
    while (!saved.empty()) {
      temporary(base::Phase::backward);
      put(Action::free_completed, saved.back(), 0, base::Phase::backward);
      saved.pop_back();
      if (saved.size() % 4 == 0) {
        gradients.push_back(next_address++);
        put(Action::alloc, gradients.back(), size(1e3, 1e7), base::Phase::backward);
        own(gradients.back(), Category::gradient, base::Phase::backward);
      }
    }
    put(Action::phase_end, 0, 0, base::Phase::backward);
    for (const std::uint64_t gradient : gradients) {
      temporary(base::Phase::optimizer);
      put(Action::free_completed, gradient, 0, base::Phase::optimizer);
    }
  }
  records.resize(events);
  return records;
}

AllocationLog log_of(const std::vector<Record>& records) {
  AllocationLog log;
  for (const Record& record : records) log.append(record);
  return log;
}

void append(benchmark::State& state) {
  const auto records = training_records(static_cast<std::size_t>(state.range(0)), 5'000);
  std::size_t bytes = 0;
  std::size_t events = 0;
  for (auto _ : state) {
    const AllocationLog log = log_of(records);
    bytes = log.bytes();
    events = log.events().size();
    benchmark::DoNotOptimize(log.peak_bytes());
  }
  state.SetItemsProcessed(state.iterations() * state.range(0));
  state.counters["bytes_per_event"] = static_cast<double>(bytes) / static_cast<double>(events);
}
BENCHMARK(append)->Arg(100'000)->Arg(1'000'000)->Unit(benchmark::kMillisecond);

void live_after(benchmark::State& state) {
  const AllocationLog log = log_of(training_records(1'000'000, 5'000));
  std::mt19937 random(3);
  const auto events = static_cast<std::uint32_t>(log.events().size());
  for (auto _ : state)
    benchmark::DoNotOptimize(log.live_after(static_cast<EventIndex>(random() % events)));
}
BENCHMARK(live_after)->Unit(benchmark::kMicrosecond);

void by_category_after(benchmark::State& state) {
  const AllocationLog log = log_of(training_records(1'000'000, 5'000));
  std::mt19937 random(3);
  const auto events = static_cast<std::uint32_t>(log.events().size());
  for (auto _ : state)
    benchmark::DoNotOptimize(log.by_category_after(static_cast<EventIndex>(random() % events)));
}
BENCHMARK(by_category_after)->Unit(benchmark::kMicrosecond);

void event_at(benchmark::State& state) {
  const AllocationLog log = log_of(training_records(1'000'000, 5'000));
  std::mt19937 random(3);
  const base::TimeRange range = log.time_range();
  for (auto _ : state) {
    benchmark::DoNotOptimize(
        log.event_at(range.begin + static_cast<std::int64_t>(random()) % range.length()));
  }
}
BENCHMARK(event_at)->Unit(benchmark::kNanosecond);

// Records, live blocks, percent of the log and of the bytes that is shown. 1600 columns, 700 rows.
void layout(benchmark::State& state) {
  const AllocationLog log = log_of(training_records(static_cast<std::size_t>(state.range(0)),
                                                    static_cast<std::size_t>(state.range(1))));
  const auto events = static_cast<double>(log.events().size());
  const double shown = static_cast<double>(state.range(2)) / 100;
  const double height = static_cast<double>(state.range(3)) / 100;
  LayoutRequest request;
  request.begin = events * (1 - shown) / 2;
  request.end = request.begin + events * shown;
  request.columns = 1600;
  request.rows = 700;
  request.bottom =
      static_cast<std::int64_t>(static_cast<double>(log.peak_bytes()) * (1 - height)) / 2;
  request.bytes_per_pixel = static_cast<double>(log.peak_bytes()) * height / 700;
  std::size_t rects = 0;
  for (auto _ : state) {
    const ActiveMemoryLayout layout = lay_out_active_memory(log, request);
    rects = layout.rects.size();
    benchmark::DoNotOptimize(layout.rects.data());
  }
  state.counters["rects"] = static_cast<double>(rects);
  state.counters["live_at_peak"] = static_cast<double>(log.live_after(log.peak_event()).size());
  state.counters["events"] = events;
}
BENCHMARK(layout)
    ->ArgNames({"records", "live", "percent", "height"})
    ->Args({100'000, 5'000, 100, 100})
    ->Args({100'000, 500, 100, 100})
    ->Args({100'000, 5'000, 10, 100})
    ->Args({1'000'000, 5'000, 100, 100})
    ->Args({1'000'000, 5'000, 100, 5})
    ->Args({1'000'000, 5'000, 1, 100})
    ->Args({3'000'000, 5'000, 100, 100})
    ->Args({3'000'000, 500'000, 100, 100})
    ->Unit(benchmark::kMillisecond);

// Finds the block under the mouse in a column that was not asked before, and in the same one.
void hover(benchmark::State& state) {
  const AllocationLog log = log_of(training_records(1'000'000, 5'000));
  std::mt19937 random(3);
  const auto events = static_cast<EventIndex>(log.events().size());
  StackColumn column;
  for (auto _ : state) {
    if (state.range(0) != 0 || column.event() == kNone) {
      column = StackColumn(log, static_cast<EventIndex>(random() % events));
    }
    const std::int64_t total = log.events()[column.event()].total_after;
    benchmark::DoNotOptimize(
        column.at(log, {}, total / 1000 * static_cast<std::int64_t>(random() % 1000)));
  }
}
BENCHMARK(hover)->ArgName("new_column")->Arg(0)->Arg(1)->Unit(benchmark::kMicrosecond);

}  // namespace
}  // namespace ts::memory

BENCHMARK_MAIN();
