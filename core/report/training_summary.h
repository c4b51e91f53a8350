#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/base/message.h"
#include "core/run/run.h"

namespace ts::report {

// The training results of the steps of a run: the last step's numbers, and errors on the way.
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
// Steps in the order in which they ran. If the number of warm-ups is fixed, the recorded steps come
// last, on freshly made parameters.
struct StepInOrder {
  const char* kind;  // recorded, warmup, timed or probe
  run::StepTimes times;
};
std::vector<StepInOrder> steps_in_order(const run::Run& run);

// The lines that nanoGPT prints while it trains, for every timed step: "iter 12: loss 5.5670, time
// 277.30ms, mfu 8.50%". iter counts all steps from 0. The utilisation is the first of
// utilisations(), for that step alone; it is left out if there is none. Empty for a pass without a
// backward.
std::vector<std::string> log_lines(const run::Run& run);

// True if a step computes in more than one floating-point type.
bool mixes_types(std::span<const run::NamedType> types);
// The types on another device that differ from those that ran, by name.
std::vector<run::NamedType> other_types(std::span<const run::NamedType> ran,
                                        std::span<const run::NamedType> there);

}  // namespace ts::report
