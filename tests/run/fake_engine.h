#pragma once

#include <atomic>
#include <chrono>
#include <functional>
#include <memory>
#include <string>
#include <thread>
#include <utility>

#include "core/allocator/snapshot.h"
#include "core/base/clock.h"
#include "core/run/engine.h"

namespace ts::run {

// A clock that stands still until somebody moves it. Any thread.
class FakeClock {
 public:
  [[nodiscard]] std::int64_t now() const { return now_.load(); }
  void advance(std::int64_t nanoseconds) { now_.fetch_add(nanoseconds); }

 private:
  std::atomic<std::int64_t> now_{1'000'000};
};

// The orders for a fake engine, and its notes. Shared by engine and executions.
struct FakeScript {
  // Nanoseconds of a step by its number and whether it is recorded.
  std::function<std::int64_t(std::int32_t, bool)> step_ns = [](std::int32_t, bool) {
    return std::int64_t{1'000'000};
  };
  // Set: instead of step_ns, by what runs.
  std::function<std::int64_t(const spec::WorkloadSpec&, std::int32_t)> spec_step_ns;
  // Set: the step ends with that failure, or throws.
  std::function<tl::unexpected<Failure>(std::int32_t)> fails;
  std::int32_t fails_at = -1;
  std::function<void(std::int32_t)> before_step;
  std::function<Outcome<void>(const base::CancelToken&)> before_prepare;
  std::function<Outcome<void>(const base::CancelToken&)> compile;
  FakeClock* clock = nullptr;  // moved by step_ns; unset: the thread really sleeps
  std::string backend_ran = "flash";
  std::int64_t peak = 0;       // by the allocator's own count
  bool loses_records = false;  // a recorded step fills its ring before it tells of memory
  bool recorded = false;       // of the step that runs, or fails
  std::shared_ptr<const allocator::Snapshot> snapshot;  // of the allocator; null: it keeps none
  EngineInfo info;
  std::string instructions;  // that our kernels may use

  std::atomic<int> executions_alive{0};
  std::atomic<int> engines_alive{0};
  std::atomic<int> steps_run{0};
  std::atomic<int> prepared{0};
  std::atomic<int> roofs_measured{0};
  bool roof_fails = false;
  // Set: what comparing a step with a reference comes to.
  std::function<Outcome<ValueErrors>()> compare_values;
};

class FakeExecution : public Execution {
 public:
  FakeExecution(FakeScript& script, std::int64_t limit, base::CancelToken cancel)
      : script_(script), limit_(limit), cancel_(std::move(cancel)) {
    ++script_.executions_alive;
  }
  ~FakeExecution() override { --script_.executions_alive; }

  Outcome<StepTimes> step(capture::Recorder* recorder, std::int32_t number) override {
    if (script_.before_step) script_.before_step(number);
    script_.recorded = recorder != nullptr;
    if (number == script_.fails_at && script_.fails) return script_.fails(number);
    ++script_.steps_run;
    ran_ = true;
    StepTimes times;
    times.begin_ns = now();
    times.total_ns = script_.spec_step_ns ? script_.spec_step_ns(spec_, number)
                                          : script_.step_ns(number, recorder != nullptr);
    times.forward_ns = times.total_ns / 3;
    times.backward_ns = times.total_ns - times.forward_ns;
    if (!pass_time(times.total_ns)) {
      Failure failure;
      failure.verdict = Verdict::cancelled;
      failure.sentence = "Cancelled";
      return tl::unexpected(failure);
    }
    if (recorder != nullptr) record(*recorder, times, number);
    return times;
  }

  [[nodiscard]] ExecutionFacts facts() const override {
    return {.parameters = 1234,
            .trained = 1234,
            .backend_ran = ran_ ? script_.backend_ran : "",
            .memory_limit = limit_};
  }
  [[nodiscard]] MemoryCounters memory() const override { return {0, script_.peak, limit_}; }
  std::shared_ptr<const allocator::Snapshot> allocator_snapshot() override {
    return script_.snapshot;
  }

 private:
  [[nodiscard]] std::int64_t now() const {
    return script_.clock != nullptr ? script_.clock->now() : base::now_ns();
  }

  // Asks the token every millisecond, as a real engine asks it at every allocation.
  bool pass_time(std::int64_t nanoseconds) {
    if (script_.clock != nullptr) {
      script_.clock->advance(nanoseconds);
      return !cancel_.cancelled();
    }
    const std::int64_t end = base::now_ns() + nanoseconds;
    while (base::now_ns() < end) {
      if (cancel_.cancelled()) return false;
      std::this_thread::sleep_for(std::chrono::microseconds(
          std::min<std::int64_t>(1000, (end - base::now_ns()) / 1000 + 1)));
    }
    return !cancel_.cancelled();
  }

  void record(capture::Recorder& recorder, const StepTimes& times, std::int32_t number) {
    capture::ThreadLog*& log = &recorder == first_recorder_ ? first_log_ : other_log_;
    if (log == nullptr) log = recorder.add_thread(trace::TrackKind::cpu_thread, "fake");
    capture::RawRecord op;
    op.kind = capture::RawKind::op;
    op.step = number;
    op.name = recorder.strings().intern("aten::mm");
    op.begin_ns = times.begin_ns;
    op.end_ns = times.begin_ns + times.total_ns;
    log->ring.try_push(op);
    while (script_.loses_records && log->ring.dropped() < 100) log->ring.try_push(op);
    memory_event(*log, times.begin_ns, memory::Action::alloc);
    memory_event(*log, times.begin_ns + times.total_ns, memory::Action::free_completed);
  }

  static void memory_event(capture::ThreadLog& log, std::int64_t time_ns, memory::Action action) {
    capture::RawRecord record;
    record.kind = capture::RawKind::memory;
    record.memory = memory::Record{};
    record.memory.time_ns = time_ns;
    record.memory.address = 0xF00D;
    record.memory.size = std::int64_t{1} << 20;
    record.memory.action = action;
    log.ring.try_push(record);
  }

  friend class FakeEngine;

  FakeScript& script_;
  spec::WorkloadSpec spec_;
  std::int64_t limit_;
  base::CancelToken cancel_;
  bool ran_ = false;
  capture::Recorder* first_recorder_ = nullptr;  // the one prepare() got
  capture::ThreadLog* first_log_ = nullptr;
  capture::ThreadLog* other_log_ = nullptr;
};

class FakeEngine : public Engine {
 public:
  explicit FakeEngine(std::shared_ptr<FakeScript> script) : script_(std::move(script)) {
    ++script_->engines_alive;
  }
  ~FakeEngine() override { --script_->engines_alive; }

  [[nodiscard]] const EngineInfo& info() const override { return script_->info; }

  Outcome<void> compile(const spec::WorkloadSpec&, std::int64_t,
                        const base::CancelToken& cancel) override {
    return script_->compile ? script_->compile(cancel) : Outcome<void>();
  }
  Outcome<std::unique_ptr<Execution>> prepare(const spec::WorkloadSpec& spec, std::int64_t limit,
                                              capture::Recorder* recorder,
                                              const base::CancelToken& cancel) override {
    ++script_->prepared;
    if (script_->before_prepare) {
      if (auto ready = script_->before_prepare(cancel); !ready) {
        return tl::unexpected(ready.error());
      }
    }
    auto execution = std::make_unique<FakeExecution>(*script_, limit, cancel);
    execution->first_recorder_ = recorder;
    execution->spec_ = spec;
    return execution;
  }

  void use_instructions(const std::string& name) override { script_->instructions = name; }
  Outcome<ValueErrors> compare_values(const spec::WorkloadSpec& spec, std::int64_t limit,
                                      const base::CancelToken& cancel) override {
    return script_->compare_values ? script_->compare_values()
                                   : Engine::compare_values(spec, limit, cancel);
  }
  Outcome<Roof> measure_roof(const spec::WorkloadSpec& spec, const base::CancelToken&) override {
    ++script_->roofs_measured;
    if (script_->roof_fails) return tl::unexpected(Failure{});
    return Roof{spec.dtype, 1024, 0.1, 10};
  }

 private:
  std::shared_ptr<FakeScript> script_;
};

inline tl::unexpected<Failure> out_of_memory() {
  Failure failure;
  failure.verdict = Verdict::oom;
  failure.sentence = "aten::bmm in blocks.3.attn needs 512 MiB, 128 MiB free of 2.00 GiB";
  failure.bytes_asked = std::int64_t{512} << 20;
  failure.bytes_free = std::int64_t{128} << 20;
  failure.bytes_limit = std::int64_t{2} << 30;
  failure.op = "aten::bmm";
  failure.module = "blocks.3.attn";
  return tl::unexpected(failure);
}

}  // namespace ts::run
