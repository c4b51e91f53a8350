#include <benchmark/benchmark.h>
#include <unistd.h>

#include <cstdint>
#include <filesystem>
#include <string>
#include <utility>

#include "core/files/trace_of_run.h"
#include "core/trace_file/trace_write.h"
#include "tests/bench/trace_synthetic.h"

namespace ts::files {
namespace {

// Slices, their links and a tenth as many memory events: range(0) events in all.
void write_chrome(benchmark::State& state) {
  trace::bench::Synthetic run;
  // Eight of twelve slices are on the two linked threads, and two of these begin or end a link.
  const std::int64_t memory_events = state.range(0) / 10;
  const std::int64_t slices = (state.range(0) - memory_events) * 12 / 14;
  trace::bench::fill(run, slices);
  run::Run measured(run::StartedUpdate{});
  measured.trace = std::move(run.store);
  for (std::int64_t i = 0; i < memory_events; ++i) {
    memory::Record record;
    record.time_ns = i * 1000;
    record.address = static_cast<std::uint64_t>(i / 2 % 64 + 1);
    record.size = 4096;
    record.action = i % 2 == 0 ? memory::Action::alloc : memory::Action::free_completed;
    measured.memory.append(record);
  }
  const auto path = std::filesystem::temp_directory_path() /
                    ("tensorscope-export-" + std::to_string(::getpid()) + ".json");
  for (auto _ : state) {
    const auto result = trace_file::write_trace(path, trace_of_run(measured, run.strings));
    if (!result) state.SkipWithError(result.error().sentence.c_str());
  }
  std::error_code ignored;
  state.counters["megabytes"] =
      static_cast<double>(std::filesystem::file_size(path, ignored)) / 1e6;
  state.SetItemsProcessed(state.iterations() * state.range(0));
  std::filesystem::remove(path, ignored);
}

BENCHMARK(write_chrome)->Arg(1'000'000)->Unit(benchmark::kMillisecond)->UseRealTime();

}  // namespace
}  // namespace ts::files

BENCHMARK_MAIN();
