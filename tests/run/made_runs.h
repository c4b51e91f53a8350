#pragma once

#include "core/run/run.h"

namespace ts::run::testing {

// A run that ended, with ten steps around `step_ms` and a peak.
inline Run made_run(const spec::WorkloadSpec& spec, double step_ms, std::int64_t peak,
                    int steps = 10) {
  StartedUpdate started;
  started.id = 1;
  started.spec = spec;
  started.limit = std::int64_t{1} << 30;
  started.limit_source = "memory_limit";
  started.begin_ns = 1'000;
  Run run(started);
  for (int i = 0; i < steps; ++i) {
    StepTimes step;
    step.total_ns = static_cast<std::int64_t>(step_ms * 1e6) + i * 10;
    step.forward_ns = step.total_ns / 3;
    step.backward_ns = step.total_ns - step.forward_ns;
    run.apply(SampleUpdate{1, step, SampleUpdate::Kind::timed});
  }
  BatchUpdate batch;
  batch.id = 1;
  memory::Record record;
  record.address = 0x1000;
  record.size = peak;
  record.action = memory::Action::alloc;
  batch.batch.memory.push_back(record);
  run.apply(std::move(batch));
  run.apply(FactsUpdate{1, {0, 0, to_string(spec.backend), 0}});
  FinishedUpdate finished;
  finished.id = 1;
  finished.end_ns = run.begin_ns + static_cast<std::int64_t>(step_ms * 1e6 * 30) + 200'000'000;
  run.apply(finished);
  return run;
}

// A run that ended early.
inline Run stopped_run(const spec::WorkloadSpec& spec, Verdict verdict) {
  StartedUpdate started;
  started.id = 1;
  started.spec = spec;
  Run run(started);
  FinishedUpdate finished;
  finished.id = 1;
  finished.verdict = verdict;
  finished.end_ns = 3'000'000'000;
  finished.failure.verdict = verdict;
  if (verdict == Verdict::oom) {
    finished.failure.sentence = "aten::bmm needs 512 MiB, 128 MiB free of 1.00 GiB";
    finished.failure.op = "aten::bmm";
    finished.failure.bytes_asked = 512 << 20;
    finished.failure.bytes_free = 128 << 20;
  } else {
    finished.failure.sentence = verdict == Verdict::failed ? "The engine stopped" : "Cancelled";
  }
  run.apply(finished);
  return run;
}

}  // namespace ts::run::testing
