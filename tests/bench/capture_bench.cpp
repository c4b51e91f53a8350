#include <benchmark/benchmark.h>

#include <cstdint>
#include <string>
#include <vector>

#include "core/capture/collector.h"
#include "core/capture/decoder.h"
#include "core/capture/memory_merge.h"

namespace ts::capture {
namespace {

constexpr std::int64_t kRecords = 1'000'000;

// Operators as a transformer runs them: some hundred names and shapes, numbers of a graph, one
// memory record for two operators.
std::vector<RawRecord> records(base::StringTable& strings) {
  std::vector<base::StringId> names;
  names.reserve(200);
  for (int i = 0; i < 200; ++i) names.push_back(strings.intern("aten::op" + std::to_string(i)));
  std::vector<RawRecord> out;
  out.reserve(kRecords);
  for (std::int64_t i = 0; i < kRecords; ++i) {
    RawRecord record;
    record.begin_ns = 1000 * i;
    record.end_ns = 1000 * i + 900;
    if (i % 3 == 2) {
      record.kind = RawKind::memory;
      record.memory = memory::Record{};
      record.memory.time_ns = 1000 * i;
    } else {
      record.name = names[static_cast<std::size_t>(i) % names.size()];
      record.sequence = i / 4;
      record.shapes.tensors = 2;
      record.shapes.rank = {4, 4, 0, 0};
      record.shapes.dtype = {4, 4, 0, 0};
      record.shapes.dims = {4, 12, 2048, 64, 4, 12, 64, static_cast<std::int32_t>(i % 150)};
    }
    out.push_back(record);
  }
  return out;
}

// Raw records to rows, without threads. Strings are known after the first round.
void decode(benchmark::State& state) {
  base::StringTable strings;
  const std::vector<RawRecord> input = records(strings);
  for (auto _ : state) {
    Decoder decoder(strings);
    MemoryMerge memory;
    decoder.add_thread(trace::TrackKind::cpu_thread, "worker");
    for (std::size_t i = 0; i < input.size();) {
      // A batch as a drain of 5 ms gives it.
      for (std::size_t end = std::min(input.size(), i + 20'000); i < end; ++i) {
        if (input[i].kind == RawKind::memory) {
          memory.take(0, input[i].memory);
        } else {
          decoder.take(0, input[i]);
        }
      }
      Batch batch;
      memory.hand_over(memory.latest_ns(), batch.memory);
      decoder.hand_over(false, batch);
      benchmark::DoNotOptimize(batch.slices.data());
    }
  }
  state.SetItemsProcessed(state.iterations() * kRecords);
}
BENCHMARK(decode)->Unit(benchmark::kMillisecond);

// A producer that never rests against the collector thread, up to the end of the last flush.
void produce_and_collect(benchmark::State& state) {
  base::StringTable strings;
  const std::vector<RawRecord> input = records(strings);
  std::uint64_t refused = 0;
  for (auto _ : state) {
    Recorder recorder(strings);
    std::uint64_t received = 0;
    Collector collector(
        recorder, [&](Batch&& batch) { received += batch.slices.size() + batch.memory.size(); });
    ThreadLog* log = recorder.add_thread(trace::TrackKind::cpu_thread, "worker");
    for (const RawRecord& record : input) {
      while (!log->ring.try_push(record)) collector.flush();
    }
    collector.flush();
    if (received != static_cast<std::uint64_t>(kRecords))
      state.SkipWithError("records are missing");
    refused = recorder.dropped();
  }
  state.SetItemsProcessed(state.iterations() * kRecords);
  state.counters["ring_full"] = static_cast<double>(refused);
}
BENCHMARK(produce_and_collect)->Unit(benchmark::kMillisecond)->UseRealTime();

// The cost of one record for a hook, the ring always having room.
void push(benchmark::State& state) {
  base::SpscRing<RawRecord> ring(1U << 16);
  const RawRecord record;
  std::size_t waiting = 0;
  for (auto _ : state) {
    ring.try_push(record);
    if (++waiting == ring.capacity()) {
      state.PauseTiming();
      ring.drain([](const RawRecord&) {});
      waiting = 0;
      state.ResumeTiming();
    }
  }
}
BENCHMARK(push)->Unit(benchmark::kNanosecond);

// The longest a worker waits at the end of a recorded step that left nothing behind.
void flush_of_nothing(benchmark::State& state) {
  base::StringTable strings;
  Recorder recorder(strings);
  Collector collector(recorder, [](Batch&&) {});
  recorder.add_thread(trace::TrackKind::cpu_thread, "worker");
  for (auto _ : state) collector.flush();
}
BENCHMARK(flush_of_nothing)->Unit(benchmark::kMicrosecond)->UseRealTime();

}  // namespace
}  // namespace ts::capture

BENCHMARK_MAIN();
