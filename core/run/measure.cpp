#include "core/run/measure.h"

#include <algorithm>
#include <exception>
#include <memory>
#include <new>
#include <optional>
#include <utility>
#include <vector>

#include "core/capture/collector.h"
#include "core/capture/recorder.h"
#include "core/run/progress_meter.h"
#include "core/spec/spec_values.h"
#include "core/spec/workload_math.h"
#include "core/stats/quantiles.h"
#include "core/text/message.h"

namespace ts::run {

namespace {

constexpr int kFewestProbes = 6;
constexpr std::int64_t kProgressInterval = 50'000'000;  // ns: 20 a second are enough for the eye

class Measurement {
 public:
  Measurement(const spec::WorkloadSpec& spec, const Protocol& protocol, std::int64_t limit,
              const MeasureContext& context)
      : spec_(spec),
        protocol_(protocol),
        limit_(limit),
        context_(context),
        progress_(protocol, context.clock()),
        recorder_(context.strings),
        probe_recorder_(context.strings) {}

  FinishedUpdate run() {
    try {
      if (run_stages()) emit_facts();
    } catch (const std::bad_alloc&) {
      stop(Failure(text::message("engine.no_memory")));
    } catch (const std::exception& error) {
      stop(Failure(text::message("engine.stopped", {{"reason", error.what()}})));
    } catch (...) {
      stop(Failure(text::message("engine.stopped_unknown")));
    }
    stop_recording();
    // The memory that the allocator held when it refused.
    if (finished_.verdict == Verdict::oom) emit_snapshot();
    if (finished_.verdict == Verdict::oom || !peak_emitted_) emit_peak();
    execution_.reset();
    finished_.id = context_.id;
    finished_.end_ns = context_.clock();
    return std::move(finished_);
  }

 private:
  using Kind = SampleUpdate::Kind;

  bool compile() {
    if (!spec::compiles_step(spec_)) return true;
    enter(Stage::compiling);
    if (auto compiled = context_.engine.compile(spec_, limit_, context_.cancel); !compiled) {
      return stop(std::move(compiled.error()));
    }
    return true;
  }

  bool prepare(bool recorded) {
    enter(Stage::preparing);
    if (recorded) {
      collector_ = std::make_unique<capture::Collector>(recorder_, [this](capture::Batch&& batch) {
        context_.emit(BatchUpdate{context_.id, std::move(batch)});
      });
    }
    if (stop_if_cancelled()) return false;
    capture::Recorder* const recorder = recorded ? &recorder_ : nullptr;
    auto prepared = context_.engine.prepare(spec_, limit_, recorder, context_.cancel);
    if (!prepared) return stop(std::move(prepared.error()));
    execution_ = std::move(*prepared);
    if (!execution_) return stop(Failure(text::message("engine.nothing_prepared")));
    emit_facts();
    return true;
  }

  // Recorded steps warm up later steps, so with a fixed number of warm-ups they come last.
  bool run_stages() {
    if (!compile()) return false;
    if (!fixed_warmups_) return prepare(true) && record() && warm_up() && time();
    if (!run_unrecorded()) {
      if (finished_.verdict == Verdict::oom) record_refusal();
      return false;
    }
    return record_anew();
  }

  bool run_unrecorded() {
    if (!prepare(false)) return false;
    enter(Stage::warmup);
    for (std::int32_t i = 0; i < *fixed_warmups_; ++i) {
      if (!step(nullptr, Kind::warmup)) return false;
    }
    return time();
  }

  // The log of a recording lacks earlier allocations, so a fresh execution is recorded.
  bool record_anew() {
    execution_.reset();
    step_number_ = 0;
    return prepare(true) && record();
  }

  // Only a recording knows which operator was refused, and what was live then. The first verdict
  // stays if the failure does not happen again.
  void record_refusal() {
    emit_peak();
    Failure first = std::exchange(finished_.failure, Failure());
    record_anew();
    if (finished_.failure.verdict != Verdict::oom) stop(std::move(first));
  }

  bool record() {
    enter(Stage::recording);
    for (std::int32_t i = 0; i < protocol_.recorded_steps; ++i) {
      if (!step(&recorder_, Kind::recorded)) return false;
    }
    emit_peak();
    // Not between the steps: the work of a workload for its facts would be a gap on the timeline.
    emit_facts();
    stop_recording();
    emit_snapshot();
    return true;
  }

  // The collector's thread ends here, so that it does not disturb the timed steps.
  void stop_recording() {
    if (!collector_) return;
    collector_->flush();
    collector_.reset();
  }

  bool warm_up() {
    enter(Stage::warmup);
    const std::int64_t begin = context_.clock();
    std::vector<double> samples;
    auto state = Warmup::cold;
    while (state == Warmup::cold) {
      const auto times = step(nullptr, Kind::warmup);
      if (!times) return false;
      samples.push_back(static_cast<double>(times->total_ns));
      const auto decided =
          agree(static_cast<std::int64_t>(warmup_state(samples, seconds_since(begin), protocol_)));
      if (!decided) return false;
      state = static_cast<Warmup>(*decided);
    }
    finished_.warmup_stable = state == Warmup::warm;
    emit_facts();
    // The first recorded step makes the rings, which is not part of the cost of recording a step.
    return protocol_.probe_every <= 0 || probe(Kind::warmup);
  }

  bool time() {
    enter(Stage::timing);
    const std::int64_t begin = context_.clock();
    const bool probes = protocol_.probe_every > 0 && !fixed_warmups_;
    const std::int32_t probe_every = probes ? std::max(protocol_.probe_every, 2) : 0;
    std::vector<double> sorted;
    int probed = 0;
    // Fewer probes have no confidence interval, but they do not justify exceeding the budget.
    const auto may_end = [&](double elapsed_s) {
      return probe_every == 0 || probed >= kFewestProbes || elapsed_s >= protocol_.budget_s ||
             static_cast<std::int32_t>(sorted.size()) >= protocol_.max_samples;
    };
    for (std::int32_t turn = 1;; ++turn) {
      if (probe_every > 0 && turn % probe_every == 0) {
        if (!probe(Kind::probe)) return false;
        ++probed;
      } else {
        const auto times = step(nullptr, Kind::timed);
        if (!times) return false;
        const auto sample = static_cast<double>(times->total_ns);
        sorted.insert(std::upper_bound(sorted.begin(), sorted.end(), sample), sample);
      }
      const double elapsed_s = seconds_since(begin);
      const bool enough = timing_is_enough(sorted, elapsed_s, protocol_) && may_end(elapsed_s);
      const auto decided = agree(enough ? 1 : 0);
      if (!decided) return false;
      if (*decided != 0) return true;
    }
  }

  // A step recorded like the first ones, with hooks, rings and collector thread; its records are
  // discarded.
  bool probe(Kind kind) {
    capture::Collector collector(probe_recorder_, [](capture::Batch&&) {});
    const bool stepped = step(&probe_recorder_, kind).has_value();
    collector.flush();
    return stepped;
  }

  std::optional<StepTimes> step(capture::Recorder* recorder, Kind kind) {
    if (stop_if_cancelled()) return std::nullopt;
    auto times = execution_->step(recorder, step_number_++);
    if (!times) {
      stop(std::move(times.error()));
      return std::nullopt;
    }
    context_.emit(SampleUpdate{context_.id, *times, kind});
    const std::int64_t now = context_.clock();
    progress_.step_done(now);
    if (now - last_progress_ >= kProgressInterval) emit_progress(now);
    return *times;
  }

  // Ranks of one run must take as many steps as each other.
  std::optional<std::int64_t> agree(std::int64_t mine) {
    auto decided = execution_->agree(mine);
    if (decided) return *decided;
    stop(std::move(decided.error()));
    return std::nullopt;
  }

  void enter(Stage stage) {
    const std::int64_t now = context_.clock();
    progress_.enter(stage, now);
    emit_progress(now);
  }

  void emit_progress(std::int64_t now) {
    last_progress_ = now;
    const auto reading = progress_.read(now);
    context_.emit(
        ProgressUpdate{context_.id, progress_.stage(), reading.fraction, reading.seconds_left});
  }

  void emit_snapshot() {
    if (execution_ == nullptr) return;
    if (auto snapshot = execution_->allocator_snapshot())
      context_.emit(SnapshotUpdate{context_.id, std::move(snapshot)});
  }

  // Reports the peak of the execution so far. Unrecorded steps may raise it, but the memory shown
  // for a run is the recorded one.
  void emit_peak() {
    if (execution_ == nullptr) return;
    peak_emitted_ = true;
    context_.emit(PeakUpdate{context_.id, execution_->memory().peak});
  }

  // The facts of the execution grow with its first steps: the backend is known after it has run.
  void emit_facts() {
    ExecutionFacts facts = execution_->facts();
    if (facts_ && *facts_ == facts) return;
    facts_ = facts;
    context_.emit(FactsUpdate{context_.id, std::move(facts)});
  }

  bool stop_if_cancelled() {
    if (!context_.cancel.cancelled()) return false;
    stop(Failure(text::message("engine.cancelled"), Verdict::cancelled));
    return true;
  }

  bool stop(Failure failure) {
    if (failure.verdict == Verdict::ok) failure.verdict = Verdict::failed;
    finished_.verdict = failure.verdict;
    finished_.failure = std::move(failure);
    return false;
  }

  [[nodiscard]] double seconds_since(std::int64_t begin) const {
    return static_cast<double>(context_.clock() - begin) * 1e-9;
  }

  const spec::WorkloadSpec& spec_;
  const Protocol& protocol_;
  const std::int64_t limit_;
  const MeasureContext& context_;
  const std::optional<std::int32_t> fixed_warmups_ = fixed_warmups(spec_);
  ProgressMeter progress_;
  FinishedUpdate finished_;
  std::optional<ExecutionFacts> facts_;
  std::int64_t last_progress_ = 0;
  std::int32_t step_number_ = 0;
  bool peak_emitted_ = false;
  // An execution may keep pointers into the recorders, so it is destroyed first.
  capture::Recorder recorder_;
  capture::Recorder probe_recorder_;
  std::unique_ptr<capture::Collector> collector_;
  std::unique_ptr<Execution> execution_;
};

}  // namespace

std::optional<std::int32_t> fixed_warmups(const spec::WorkloadSpec& spec) {
  const std::int64_t steps = spec::number_of(spec, spec::Field::warmups);
  return steps < 0 ? std::nullopt : std::optional(static_cast<std::int32_t>(steps));
}

Warmup warmup_state(std::span<const double> samples, double elapsed_s, const Protocol& protocol) {
  constexpr std::size_t kFewestSteps = 3;
  if (samples.size() >= kFewestSteps && elapsed_s >= protocol.min_warmup_s &&
      stats::converged(samples)) {
    return Warmup::warm;
  }
  return elapsed_s >= protocol.max_warmup_s ? Warmup::unstable : Warmup::cold;
}

bool timing_is_enough(std::span<const double> sorted, double elapsed_s, const Protocol& protocol) {
  const auto count = static_cast<std::int32_t>(sorted.size());
  if (count >= protocol.max_samples || elapsed_s >= protocol.hard_budget_s) return true;
  if (count < protocol.min_samples) return false;
  if (elapsed_s >= protocol.budget_s) return true;
  const auto interval = stats::median_ci95(sorted);
  if (!interval) return false;
  const double median = stats::quantile_sorted(sorted, 0.5);
  return (interval->high - interval->low) / 2 <= protocol.target_ci * median;
}

FinishedUpdate measure(const spec::WorkloadSpec& spec, const Protocol& protocol, std::int64_t limit,
                       const MeasureContext& context) {
  return Measurement(spec, protocol, limit, context).run();
}

}  // namespace ts::run
