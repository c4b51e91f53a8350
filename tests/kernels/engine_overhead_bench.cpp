// The cost of the hooks: per operator, per allocation, and per step of a workload, each beside the
// same without recording. Rings are drained inside the measured loops only where the text says so.
#include <ATen/ops/empty.h>
#include <ATen/ops/ones.h>
#include <benchmark/benchmark.h>
#include <c10/core/CPUAllocator.h>

#include <torch/csrc/autograd/profiler_kineto.h>

#include <algorithm>
#include <optional>
#include <set>
#include <vector>

#include "kernels/engine/engine.h"
#include "kernels/observe/name_cache.h"
#include "kernels/observe/recording.h"

namespace ts::kernels {
namespace {

struct Sink {
  base::StringTable strings;
  capture::Recorder recorder{strings, 1U << 16};
  std::size_t records = 0;
  void drain() {
    for (capture::ThreadLog* const log : recorder.threads()) {
      records += log->ring.drain(
          [](const capture::RawRecord& record) { benchmark::DoNotOptimize(&record); });
    }
  }
};

TorchEngine& engine() {
  static TorchEngine one;
  return one;
}

// One in-place operator on one number: nothing but dispatch. With a recording the ring is drained
// every 4096 operators, outside the time.
void one_operator(benchmark::State& state) {
  engine();
  const bool recorded = state.range(0) != 0;
  Sink sink;
  std::optional<Recording> recording;
  if (recorded) recording.emplace(sink.recorder, 0, c10::DeviceType::CPU);
  const at::Tensor number = at::ones({1});
  int since_drain = 0;
  for (auto _ : state) {
    number.neg_();
    if (++since_drain == 4096) {
      state.PauseTiming();
      sink.drain();
      since_drain = 0;
      state.ResumeTiming();
    }
  }
  state.counters["dropped"] = static_cast<double>(sink.recorder.dropped());
}
BENCHMARK(one_operator)->ArgName("recorded")->Arg(0)->Arg(1);

// One block of 4 KiB from the allocator and back, without any operator.
void one_allocation(benchmark::State& state) {
  engine();
  const bool recorded = state.range(0) != 0;
  Sink sink;
  std::optional<Recording> recording;
  if (recorded) recording.emplace(sink.recorder, 0, c10::DeviceType::CPU);
  c10::Allocator* const allocator = c10::GetAllocator(c10::DeviceType::CPU);
  int since_drain = 0;
  for (auto _ : state) {
    const at::DataPtr block = allocator->allocate(4096);
    benchmark::DoNotOptimize(block.get());
    if (++since_drain == 4096) {
      state.PauseTiming();
      sink.drain();
      since_drain = 0;
      state.ResumeTiming();
    }
  }
  state.counters["dropped"] = static_cast<double>(sink.recorder.dropped());
}
BENCHMARK(one_allocation)->ArgName("recorded")->Arg(0)->Arg(1);

// The same block from LibTorch's own allocator.
void one_allocation_of_libtorch(benchmark::State& state) {
  engine();
  c10::Allocator* const allocator = c10::GetDefaultCPUAllocator();
  for (auto _ : state) {
    const at::DataPtr block = allocator->allocate(4096);
    benchmark::DoNotOptimize(block.get());
  }
}
BENCHMARK(one_allocation_of_libtorch);

void name_lookup(benchmark::State& state) {
  base::StringTable strings;
  NameCache cache(strings);
  for (auto _ : state) benchmark::DoNotOptimize(&cache.find("aten::_scaled_dot_product_attention"));
}
BENCHMARK(name_lookup);

spec::WorkloadSpec step_spec(std::int64_t size) {
  spec::WorkloadSpec spec;
  spec.workload = spec::WorkloadKind::lm;
  spec.pass = spec::Pass::full_step;
  spec.batch = 2;
  spec.seq_len = size;
  spec.d_model = size;
  spec.d_ff = 4 * size;
  spec.heads = 4;
  spec.layers = 4;
  spec.vocab = 1000;
  return spec;
}

// LibTorch's own profiler, with shapes and memory as ours records them. (Our allocator does not
// report to it, so of memory it sees nothing and has less to do.)
class TorchProfiler {
 public:
  TorchProfiler() {
    using namespace torch::profiler::impl;
    const ProfilerConfig config(ProfilerState::KINETO, /*report_input_shapes=*/true,
                                /*profile_memory=*/true);
    const std::set<ActivityType> activities = {ActivityType::CPU};
    torch::autograd::profiler::prepareProfiler(config, activities);
    torch::autograd::profiler::enableProfiler(config, activities);
  }
  ~TorchProfiler() { torch::autograd::profiler::disableProfiler(); }
  TorchProfiler(const TorchProfiler&) = delete;
  TorchProfiler& operator=(const TorchProfiler&) = delete;
};

double median(std::vector<double>& values) {
  std::nth_element(values.begin(), values.begin() + std::ssize(values) / 2, values.end());
  return values[values.size() / 2];
}

// Full steps in turn: plain, recorded by us, recorded by LibTorch's profiler, so that all three see
// the same machine. What each costs is the ratio of medians. Rings are drained between steps, and
// the profiler's results are made outside the step.
void recorded_step(benchmark::State& state) {
  Sink sink;
  auto execution = engine().prepare(step_spec(state.range(0)), std::int64_t{8} << 30, nullptr, {});
  if (!execution) {
    state.SkipWithError(execution.error().sentence.c_str());
    return;
  }
  std::vector<double> plain, ours, theirs;
  std::int32_t step = 0;
  const auto run = [&](capture::Recorder* recorder, std::vector<double>& times) {
    const auto outcome = (*execution)->step(recorder, step++);
    if (outcome) times.push_back(static_cast<double>(outcome->total_ns) * 1e-6);
  };
  for (auto _ : state) {
    run(nullptr, plain);
    run(&sink.recorder, ours);
    sink.drain();
    const TorchProfiler profiler;
    run(nullptr, theirs);
  }
  if (plain.empty() || ours.empty() || theirs.empty()) return;
  const double plain_ms = median(plain);
  state.counters["plain_ms"] = plain_ms;
  state.counters["records"] = static_cast<double>(sink.records) / static_cast<double>(ours.size());
  state.counters["ours_percent"] = (median(ours) / plain_ms - 1) * 100;
  state.counters["profiler_percent"] = (median(theirs) / plain_ms - 1) * 100;
  state.counters["dropped"] = static_cast<double>(sink.recorder.dropped());
}
BENCHMARK(recorded_step)->ArgName("d_model")->Arg(64)->Arg(256)->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace ts::kernels

BENCHMARK_MAIN();
