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

// Compares two specs in one process, in alternation.
namespace ts::run {

struct ComparedSide {
  spec::WorkloadSpec spec;
  std::int64_t limit = 0;  // bytes its allocator may hold
  std::vector<StepTimes> warmup_steps;
  std::vector<StepTimes> timed_steps;
  ExecutionFacts facts;
  std::int64_t peak = 0;  // bytes, over all its steps
  bool warmup_stable = true;
};

struct Comparison {
  std::array<ComparedSide, 2> sides;  // A and B
  // Ratios of the timed steps by part of a step; a part that one of the two lacks has no pairs.
  stats::PairedRatio total, forward, backward, optimizer;
  Stage stage = Stage::preparing;  // preparing, warmup, timing, done
  double seconds = 0;              // since the timing began
  // The failure that ended it early, and its side; the steps up to there are kept.
  std::optional<Failure> failure;
  int failed_side = 0;
};

struct CompareContext {
  Engine& engine;
  base::CancelToken cancel;
  std::function<std::int64_t()> clock;  // nanoseconds
  // Called after every step, with the steps so far and no ratios; may be empty.
  std::function<void(const Comparison& so_far)> progress;
};

// The rules of Protocol with a longer budget: a ratio needs more steps than a time.
Protocol comparison_protocol();

// Computes the ratios from the timed steps.
void judge(Comparison& comparison);

// Prepares A and B and keeps both, warms each up by the rule of Protocol, then times them in the
// order A B B A A B B A ... until the 95 % confidence interval of the median ratio is as narrow as
// target_ci with at least min_samples pairs, or until the budget ends. The end depends on the
// precision, never on the verdict. Both executions hold memory at once: each has its own limit.
Comparison compare(const std::array<ComparedSide, 2>& sides, const Protocol& protocol,
                   const CompareContext& context);

// "T = 256 and 512": a setting that differs, as KEY: A and B.
struct SpecDifference {
  std::string key, a, b;
};
std::vector<SpecDifference> differences(const spec::WorkloadSpec& a, const spec::WorkloadSpec& b);

}  // namespace ts::run
