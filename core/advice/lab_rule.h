#pragma once

#include <cstdint>

#include "core/predict/prediction.h"
#include "core/spec/workload_spec.h"

namespace ts::advice {

// The rule by which the course's FlashAttention lab recommends settings for a card (LAB-9): B and
// micro-batches by bands of the card's memory and the length, autocast in fp16 with a loss scale,
// flash, checkpoints for long sequences and large models. Numbers: calculator recommended_batch.
// Below its bands the published rule divides by zero (E-36); here B is at least 1. The size of the
// model only changes whether there are checkpoints.
struct LabRule {
  std::int64_t batch = 1;
  std::int64_t accumulate = 1;
  bool checkpoints = false;
};
// `memory`: bytes of the card. `large`: what the lab calls a large model.
LabRule lab_rule(std::int64_t memory, std::int64_t seq_len, bool large);
// The settings as the rule has them, where they apply. They may be impossible on the target.
spec::WorkloadSpec with_lab_rule(const spec::WorkloadSpec& settings,
                                 const predict::PredictionTarget& target, bool large);

}  // namespace ts::advice
