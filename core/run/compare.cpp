#include "core/run/compare.h"

#include <algorithm>
#include <exception>
#include <memory>
#include <utility>

#include "core/capture/collector.h"
#include "core/run/measure.h"
#include "core/spec/spec_fields.h"
#include "core/spec/workload_math.h"
#include "core/text/message.h"

namespace ts::run {

namespace {

using Part = std::int64_t StepTimes::*;

stats::PairedRatio ratio_of(const Comparison& comparison, Part part) {
  std::array<std::vector<double>, 2> times;
  const std::size_t pairs =
      std::min(comparison.sides[0].timed_steps.size(), comparison.sides[1].timed_steps.size());
  for (std::size_t side = 0; side < 2; ++side) {
    for (std::size_t i = 0; i < pairs; ++i) {
      const std::int64_t ns = comparison.sides[side].timed_steps[i].*part;
      if (ns <= 0) return {};  // the pass has no such part
      times[side].push_back(static_cast<double>(ns));
    }
  }
  return stats::paired_ratio(times[0], times[1]);
}

class Comparer {
 public:
  Comparer(const std::array<ComparedSide, 2>& sides, const Protocol& protocol,
           const CompareContext& context)
      : protocol_(protocol), context_(context) {
    out_.sides = sides;
  }

  Comparison run() {
    try {
      (void)(prepare() && warm_up(0) && warm_up(1) && time());
    } catch (const std::exception& error) {
      stop(side_, Failure(text::message("engine.stopped", {{"reason", error.what()}})));
    }
    for (int i = 0; i < 2; ++i) {
      if (!executions_[i]) continue;
      out_.sides[i].facts = executions_[i]->facts();
      out_.sides[i].peak = executions_[i]->memory().peak;
    }
    executions_ = {};
    judge(out_);
    out_.stage = Stage::done;
    return std::move(out_);
  }

 private:
  bool compile(int i) {
    if (!spec::compiles_step(out_.sides[i].spec)) return true;
    out_.stage = Stage::compiling;
    context_.progress(out_);
    auto compiled =
        context_.engine.compile(out_.sides[i].spec, out_.sides[i].limit, context_.cancel);
    out_.stage = Stage::preparing;
    return compiled ? true : stop(i, std::move(compiled.error()));
  }

  bool prepare() {
    for (int i = 0; i < 2; ++i) {
      if (!compile(i)) return false;
      auto prepared = context_.engine.prepare(out_.sides[i].spec, out_.sides[i].limit, nullptr,
                                              context_.cancel);
      if (!prepared) return stop(i, std::move(prepared.error()));
      executions_[i] = std::move(*prepared);
    }
    return true;
  }

  // Records one step first and discards it: it shows which backend runs.
  bool warm_up(int i) {
    out_.stage = Stage::warmup;
    base::StringTable strings;
    capture::Recorder recorder(strings);
    {
      capture::Collector collector(recorder, [](capture::Batch&&) {});
      if (!step(i, &recorder)) return false;
      collector.flush();
    }
    ComparedSide& side = out_.sides[i];
    const std::int64_t begin = context_.clock();
    std::vector<double> samples;
    auto state = Warmup::cold;
    while (state == Warmup::cold) {
      const auto times = step(i, nullptr);
      if (!times) return false;
      side.warmup_steps.push_back(*times);
      samples.push_back(static_cast<double>(times->total_ns));
      state = warmup_state(samples, seconds_since(begin), protocol_);
    }
    side.warmup_stable = state == Warmup::warm;
    return true;
  }

  bool time() {
    out_.stage = Stage::timing;
    const std::int64_t begin = context_.clock();
    // A B B A: each is first equally often, and a steady drift favours neither.
    constexpr std::array kOrder = {0, 1, 1, 0};
    while (true) {
      for (const int i : kOrder) {
        const auto times = step(i, nullptr);
        if (!times) return false;
        out_.sides[i].timed_steps.push_back(*times);
        out_.seconds = seconds_since(begin);
      }
      const auto pairs = static_cast<int>(out_.sides[0].timed_steps.size());
      if (enough(pairs, out_.seconds)) return true;
    }
  }

  [[nodiscard]] bool enough(int pairs, double seconds) const {
    if (pairs >= protocol_.max_samples || seconds >= protocol_.hard_budget_s) return true;
    if (pairs < protocol_.min_samples) return false;
    if (seconds >= protocol_.budget_s) return true;
    const stats::PairedRatio ratio = ratio_of(out_, &StepTimes::total_ns);
    return ratio.ci95 &&
           (ratio.ci95->high - ratio.ci95->low) / 2 <= protocol_.target_ci * ratio.median;
  }

  std::optional<StepTimes> step(int i, capture::Recorder* recorder) {
    side_ = i;
    if (context_.cancel.cancelled()) {
      stop(i, Failure(text::message("engine.cancelled"), Verdict::cancelled));
      return std::nullopt;
    }
    auto times = executions_[i]->step(recorder, numbers_[i]++);
    if (!times) {
      stop(i, std::move(times.error()));
      return std::nullopt;
    }
    if (context_.progress) context_.progress(out_);
    return *times;
  }

  bool stop(int side, Failure failure) {
    out_.failed_side = side;
    out_.failure = std::move(failure);
    return false;
  }

  [[nodiscard]] double seconds_since(std::int64_t begin) const {
    return static_cast<double>(context_.clock() - begin) * 1e-9;
  }

  const Protocol& protocol_;
  const CompareContext& context_;
  Comparison out_;
  std::array<std::unique_ptr<Execution>, 2> executions_;
  std::array<std::int32_t, 2> numbers_{};
  int side_ = 0;
};

}  // namespace

Comparison compare(const std::array<ComparedSide, 2>& sides, const Protocol& protocol,
                   const CompareContext& context) {
  return Comparer(sides, protocol, context).run();
}

Protocol comparison_protocol() {
  Protocol protocol;
  protocol.budget_s = 10;
  return protocol;
}

void judge(Comparison& comparison) {
  comparison.total = ratio_of(comparison, &StepTimes::total_ns);
  comparison.forward = ratio_of(comparison, &StepTimes::forward_ns);
  comparison.backward = ratio_of(comparison, &StepTimes::backward_ns);
  comparison.optimizer = ratio_of(comparison, &StepTimes::optimizer_ns);
}

std::vector<SpecDifference> differences(const spec::WorkloadSpec& a, const spec::WorkloadSpec& b) {
  std::vector<SpecDifference> all;
  for (const spec::FieldRow& row : spec::field_rows()) {
    std::string of_a = spec::field_text(a, row.field);
    std::string of_b = spec::field_text(b, row.field);
    if (of_a != of_b) all.push_back({row.name, std::move(of_a), std::move(of_b)});
  }
  return all;
}

}  // namespace ts::run
