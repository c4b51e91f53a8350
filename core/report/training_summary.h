#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/base/message.h"
#include "core/run/run.h"

namespace ts::report {

// What the steps of a run say of training: the last step's numbers, and what went wrong on the way.
struct TrainingSummary {
  std::optional<double> loss;  // also nan or inf
  std::optional<double> learning_rate;
  std::optional<double> gradient_norm;  // before clipping
  std::optional<double> loss_scale;
  std::optional<std::int64_t> clean_steps;  // of growth_interval, then the scale doubles
  std::int64_t skipped_steps = 0;           // by the gradient scaler
  std::optional<base::Message> bad_loss;    // the first step whose loss was not a number
};
TrainingSummary training_summary(const run::Run& run);
// Steps in the order in which they ran. Where warm-ups are timed from the first on, the recorded
// steps come last, on parameters that are new again.
struct StepInOrder {
  const char* kind;  // recorded, warmup, timed or probe
  run::StepTimes times;
};
std::vector<StepInOrder> steps_in_order(const run::Run& run);

// What nanoGPT prints while it trains, for every timed step: "iter 12: loss 5.5670, time 277.30ms,
// mfu 8.50%". iter counts all steps from 0; the utilisation is the first of utilisations(), of that
// step alone, and left out where there is none. Empty for a pass without a backward.
std::vector<std::string> log_lines(const run::Run& run);

// Whether a recorded step computed in more than one floating type.
bool mixes_types(const run::ExecutionFacts& facts);

}  // namespace ts::report
