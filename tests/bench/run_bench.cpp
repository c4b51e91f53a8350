#include <benchmark/benchmark.h>

#include <nlohmann/json.hpp>
#include <vector>

#include "core/base/clock.h"
#include "core/run/worker.h"
#include "core/spec/memory_limit.h"
#include "core/spec/workload_spec.h"

namespace ts::run {
namespace {

// The work of a slider for every change, before the request leaves the window.
void validate_a_spec(benchmark::State& state) {
  spec::WorkloadSpec spec;
  spec.workload = spec::WorkloadKind::lm;
  for (auto _ : state) benchmark::DoNotOptimize(spec::validate(spec));
}
BENCHMARK(validate_a_spec);

void spec_to_json_and_back(benchmark::State& state) {
  const spec::WorkloadSpec spec;
  for (auto _ : state) benchmark::DoNotOptimize(spec::spec_from_json(to_json(spec)));
}
BENCHMARK(spec_to_json_and_back);

// Read once a run, on the worker thread.
void read_memory_limits(benchmark::State& state) {
  for (auto _ : state) benchmark::DoNotOptimize(spec::read_host_memory());
}
BENCHMARK(read_memory_limits);

// An engine that is done at once: what is left is the worker's own time.
class NoExecution : public Execution {
 public:
  Outcome<StepTimes> step(capture::Recorder*, std::int32_t) override {
    StepTimes times;
    times.total_ns = 1;
    return times;
  }
  [[nodiscard]] ExecutionFacts facts() const override { return {}; }
  [[nodiscard]] MemoryCounters memory() const override { return {}; }
};

class NoEngine : public Engine {
 public:
  [[nodiscard]] const EngineInfo& info() const override { return info_; }
  Outcome<std::unique_ptr<Execution>> prepare(const spec::WorkloadSpec&, std::int64_t,
                                              capture::Recorder*,
                                              const base::CancelToken&) override {
    return std::make_unique<NoExecution>();
  }
  Outcome<Roof> measure_roof(const spec::WorkloadSpec&, const base::CancelToken&) override {
    return Roof{};
  }

 private:
  EngineInfo info_;
};

// From submit() in the window to StartedUpdate on the worker: the part of the way from a slider to
// a running step that is ours.
void request_to_start(benchmark::State& state) {
  base::StringTable strings;
  UpdateQueue updates;
  Worker worker([] { return base::Result<std::unique_ptr<Engine>>(std::make_unique<NoEngine>()); },
                strings, updates);
  RunRequest request;
  request.protocol.recorded_steps = 0;
  request.protocol.max_warmup_s = 0;
  request.protocol.max_samples = 1;
  request.protocol.probe_every = 0;
  std::vector<Update> taken;
  for (auto _ : state) {
    const std::int64_t submitted = base::now_ns();
    worker.submit(request);
    std::int64_t begun = 0;
    for (bool finished = false; !finished;) {
      updates.take(taken);
      for (const Update& update : taken) {
        if (const auto* started = std::get_if<StartedUpdate>(&update)) begun = started->begin_ns;
        finished = finished || std::holds_alternative<FinishedUpdate>(update);
      }
    }
    state.SetIterationTime(static_cast<double>(begun - submitted) * 1e-9);
  }
}
BENCHMARK(request_to_start)->UseManualTime()->Unit(benchmark::kMicrosecond);

void push_and_take_samples(benchmark::State& state) {
  UpdateQueue updates;
  std::vector<Update> taken;
  for (auto _ : state) {
    for (int i = 0; i < 1000; ++i) updates.push(SampleUpdate{});
    updates.take(taken);
  }
  state.SetItemsProcessed(1000 * state.iterations());
}
BENCHMARK(push_and_take_samples);

}  // namespace
}  // namespace ts::run

BENCHMARK_MAIN();
