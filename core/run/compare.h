#pragma once

#include <array>
#include <functional>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <vector>

#include "core/base/cancel.h"
#include "core/io/text_table.h"
#include "core/run/engine.h"
#include "core/run/protocol.h"
#include "core/run/update.h"
#include "core/stats/paired.h"

// Two specs against each other, in one process, by turns.
namespace ts::run {

struct ComparedSide {
  WorkloadSpec spec;
  std::int64_t limit = 0;  // bytes its allocator may hold
  std::vector<StepTimes> warmup_steps;
  std::vector<StepTimes> timed_steps;
  ExecutionFacts facts;
  std::int64_t peak = 0;  // bytes, over all its steps
  bool warmup_stable = true;
};

struct Comparison {
  std::array<ComparedSide, 2> sides;  // A and B
  // Of the timed steps by part of a step; a part that one of the two lacks has no pairs.
  stats::PairedRatio total, forward, backward, optimizer;
  Stage stage = Stage::preparing;  // preparing, warmup, timing, done
  double seconds = 0;              // since the timing began
  // What ended it early, and on which side; the steps up to there are kept.
  std::optional<Failure> failure;
  int failed_side = 0;
};

struct CompareContext {
  Engine& engine;
  base::CancelToken cancel;
  std::function<std::int64_t()> clock;  // nanoseconds
  // After every step, with the steps so far and no ratios; may be empty.
  std::function<void(const Comparison& so_far)> progress;
};

// The rules of Protocol with a longer budget: a ratio needs more steps than a time.
Protocol comparison_protocol();

// Makes the ratios from the timed steps.
void judge(Comparison& comparison);

// Prepares A and B and keeps both, warms each up by the rule of Protocol, then times A B B A A B B
// A
// ... until the 95 % confidence interval of the median ratio is as narrow as target_ci, at least
// min_samples pairs, or the budget ends. The end depends on the precision, never on the verdict.
// Two executions hold their memory at once: each has its own limit.
Comparison compare(const std::array<ComparedSide, 2>& sides, const Protocol& protocol,
                   const CompareContext& context);

// A ratio of times B / A as a factor that people read: of a faster B how many times as fast it is,
// else how many times as long it takes.
struct RatioFactor {
  double factor = 0;
  std::optional<stats::Interval> ci95;
};
RatioFactor factor_of(const stats::PairedRatio& ratio);

// Step, forward, backward, optimizer and peak: A, B and B / A with its interval.
io::TextTable comparison_table(const Comparison& comparison);

// "B is 1.42 times as fast as A (95 % CI 1.39 to 1.45, 40 pairs)"
std::string comparison_sentence(const Comparison& comparison);
// After how many steps compiling B has paid, where only B is compiled; nothing if it never does.
std::optional<std::int64_t> break_even_steps(const Comparison& comparison);
// The same in words; empty where not B alone is compiled.
std::string break_even_sentence(const Comparison& comparison);
// "T = 256 and 512": what is different, as KEY: A and B.
struct SpecDifference {
  std::string key, a, b;
};
std::vector<SpecDifference> differences(const WorkloadSpec& a, const WorkloadSpec& b);

// {sentence, verdict, a, b {spec, step_ms, parts_ms, samples_ms, ...}, ratio {total, forward, ...},
// differences, environment}
nlohmann::json to_json(const Comparison& comparison, const Protocol& protocol,
                       const nlohmann::json& environment);

}  // namespace ts::run
