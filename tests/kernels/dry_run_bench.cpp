// How long a dry run takes: two full steps of a model of CS336 with categories and log, on one
// thread, and the allocator after it.
//   build/release/bench/dry_run_bench --benchmark_repetitions=5
#include <benchmark/benchmark.h>

#include "core/predict/prediction.h"
#include "core/spec/presets.h"
#include "kernels/engine/dry_runner.h"

namespace ts::kernels {
namespace {

spec::WorkloadSpec preset(const char* id) {
  spec::WorkloadSpec spec;
  spec::apply_preset(*spec::find_preset(spec::WorkloadKind::lm, id), spec);
  return spec;
}

predict::DryRunner& runner() {
  static TorchDryRunner one;
  return one;
}

void two_full_steps(benchmark::State& state, const char* id) {
  const spec::WorkloadSpec spec = preset(id);
  std::size_t events = 0;
  base::StringTable strings;
  for (auto _ : state) {
    const auto dry = runner().dry_run(spec, {}, strings, {});
    if (!dry) return state.SkipWithError(dry.error().sentence.c_str());
    events = dry->log.events().size();
  }
  state.counters["events"] = static_cast<double>(events);
}

void prediction(benchmark::State& state, const char* id) {
  base::StringTable strings;
  const auto dry = runner().dry_run(preset(id), {}, strings, {});
  if (!dry) return state.SkipWithError(dry.error().sentence.c_str());
  predict::PredictionTarget target;
  target.memory = std::int64_t{24} << 30;
  for (auto _ : state) {
    benchmark::DoNotOptimize(predict::predict(*dry, strings, target, {}, nullptr));
  }
}

void log_alone(benchmark::State& state, const char* id) {
  base::StringTable strings;
  const auto dry = runner().dry_run(preset(id), {}, strings, {});
  if (!dry) return state.SkipWithError(dry.error().sentence.c_str());
  for (auto _ : state) {
    memory::AllocationLog log;
    for (const memory::Event& event : dry->log.events()) {
      memory::Record record;
      const memory::Block& block = dry->log.blocks()[event.block];
      record.action = event.action;
      record.address = block.address;
      record.size = block.size;
      record.phase = block.phase;
      log.append(record);
    }
    benchmark::DoNotOptimize(log.peak_bytes());
  }
}

BENCHMARK_CAPTURE(two_full_steps, small, "small")->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(two_full_steps, medium, "medium")->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(two_full_steps, large, "large")->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(two_full_steps, xl, "xl")->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(two_full_steps, 2_7B, "2.7B")->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(log_alone, 2_7B, "2.7B")->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(prediction, 2_7B, "2.7B")->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace ts::kernels

BENCHMARK_MAIN();
