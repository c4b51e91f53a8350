#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "core/advice/step_bound.h"
#include "core/predict/prediction.h"
#include "core/spec/workload_spec.h"

namespace ts::advice {

// The settings that recipes may change: type and autocast, attention backend, checkpoints,
// kind of AdamW, and how the sequences of a step are divided into micro-batches. The model, its
// sizes and the training algorithm stay.
struct RecipeSpace {
  // Settings that stay as they are: dtype or autocast (both stay), backend, checkpoint, optimizer,
  // B or accumulate (both stay).
  std::vector<spec::Field> kept;
  // B changes by itself, and with it what a step does; recipes are then ranked by time per token.
  // Else B times the micro-batches stays: a step sees as many sequences as in the settings.
  bool free_batch = false;
};

// More micro-batches are offered only where the settings have as many.
inline constexpr std::int64_t kMostMicroBatches = 64;

// True for those. Their names: "dtype, autocast, backend, ...".
bool can_be_kept(spec::Field field);
std::string kept_names();

// One combination.
struct Recipe {
  spec::WorkloadSpec spec;  // its device is that of the target
  StepBound bound;          // of a step
  double tokens_per_s = 0;  // tokens of a step over its bound: an upper bound
  // Places in the lists of what was varied; the first is preferred where bounds are equal.
  std::size_t precision = 0, backend = 0, checkpoint = 0, optimizer = 0;
};

// True if the settings differ at most in what recipes change and in the device: one list of recipes
// answers both.
bool asks_the_same(const spec::WorkloadSpec& a, const spec::WorkloadSpec& b);

using RoofsOf = std::function<report::Roofs(spec::DataType)>;

// All combinations that are possible on the kind of device of the target and have a bound, in the
// order in which they are preferred: by time per token; where that is equal to nine digits, types
// that need no scaler, larger B, flash, fewer checkpoints and the fused optimizer come first. Empty
// if no formula counts the workload, or no roof is known.
std::vector<Recipe> recipes_of(const spec::WorkloadSpec& settings, spec::DeviceKind device,
                               const RecipeSpace& space, const RoofsOf& roofs);

// Fewest bytes that parameters, gradients and optimizer state of a full step take together; 0 for
// other passes.
std::int64_t state_bytes(const spec::WorkloadSpec& spec);

}  // namespace ts::advice
