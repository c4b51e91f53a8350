#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "core/run/run.h"
#include "core/run/verdict.h"

namespace ts::run {

// What the steps of a run say of training: the last step's numbers, and what went wrong on the way.
struct TrainingSummary {
  std::optional<double> loss;  // also nan or inf
  std::optional<double> learning_rate;
  std::optional<double> gradient_norm;  // before clipping
  std::optional<double> loss_scale;
  std::optional<std::int64_t> clean_steps;  // of growth_interval, then the scale doubles
  std::int64_t skipped_steps = 0;           // by the gradient scaler
  std::optional<Message> bad_loss;          // the first step whose loss was not a number
};
TrainingSummary training_summary(const Run& run);
// Steps of every kind in the order in which they ran.
std::vector<StepTimes> steps_in_order(const Run& run);

// Whether a recorded step computed in more than one floating type.
bool mixes_types(const ExecutionFacts& facts);

}  // namespace ts::run
