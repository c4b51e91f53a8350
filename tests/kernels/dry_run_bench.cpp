// How long a dry run takes: two full steps of a model of CS336 with categories and log, on one
// thread, and the allocator after it.
//   build/release/bench/dry_run_bench --benchmark_repetitions=5
// A model of torch.export, read and dry-run in the same way:
//   TENSORSCOPE_MODEL=FILE.pt2 build/release/bench/dry_run_bench --benchmark_filter=own_model
#include <benchmark/benchmark.h>

#include <cstdlib>
#include <functional>
#include <string>

#include "core/exported/model_file.h"
#include "core/predict/prediction.h"
#include "core/spec/own_model.h"
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

void two_full_steps(benchmark::State& state, const char* id,
                    const std::function<void(spec::WorkloadSpec&)>& change = nullptr) {
  spec::WorkloadSpec spec = preset(id);
  if (change) change(spec);
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

std::string model_path() {
  const char* const path = std::getenv("TENSORSCOPE_MODEL");
  return path != nullptr ? path : "";
}

void own_model_read(benchmark::State& state) {
  if (model_path().empty()) return state.SkipWithError("TENSORSCOPE_MODEL names no file");
  for (auto _ : state) {
    const auto model = exported::ModelFile::read(model_path());
    if (!model) return state.SkipWithError(model.error().sentence.c_str());
  }
}

void own_model_full_steps(benchmark::State& state, bool repeat) {
  if (model_path().empty()) return state.SkipWithError("TENSORSCOPE_MODEL names no file");
  spec::WorkloadSpec spec;
  spec.pass = spec::Pass::full_step;
  if (const auto chosen = spec::choose_model(model_path(), spec); !chosen) {
    return state.SkipWithError(chosen.error().sentence.c_str());
  }
  TorchDryRunner one(repeat);
  base::StringTable strings;
  for (auto _ : state) {
    const auto dry = one.dry_run(spec, {}, strings, {});
    if (!dry) return state.SkipWithError(dry.error().sentence.c_str());
  }
  state.counters["repeated"] = one.repeated() ? 1 : 0;
}

BENCHMARK(own_model_read)->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(own_model_full_steps, repeated, true)->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(own_model_full_steps, whole, false)->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(two_full_steps, small, "small")->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(two_full_steps, medium, "medium")->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(two_full_steps, large, "large")->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(two_full_steps, xl, "xl")->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(two_full_steps, 2_7B, "2.7B")->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(two_full_steps, adamw_loop, "2.7B", [](spec::WorkloadSpec& spec) {
  spec.optimizer = spec::OptimizerKind::adamw_loop;
})->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(two_full_steps, adamw_foreach_clipped, "2.7B", [](spec::WorkloadSpec& spec) {
  spec.optimizer = spec::OptimizerKind::adamw_foreach;
  spec.clip = 1;
})->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(two_full_steps, checkpoints, "2.7B", [](spec::WorkloadSpec& spec) {
  spec.checkpoint = spec::Checkpoint::blocks;
})->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(two_full_steps, accumulation, "2.7B", [](spec::WorkloadSpec& spec) {
  spec.accumulate = 16;
})->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(log_alone, 2_7B, "2.7B")->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(prediction, 2_7B, "2.7B")->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace ts::kernels

BENCHMARK_MAIN();
