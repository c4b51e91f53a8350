#pragma once

#include <cstdint>
#include <string_view>

#include "core/run/workload_spec.h"

namespace ts::run {

// Formulas of the course (labs.md section 3), for any valid spec. FLOPs count a multiply-add as
// two.

// Size of one attention head: d_head for attention, d_model / heads for block and lm.
std::int64_t head_size(const WorkloadSpec& spec);

// Numbers the optimizer trains.
//   attention  0: Q, K and V are inputs
//   mlp        Linear(d_model, d_ff) - GELU - Linear(d_ff, d_model), with biases
//   block      4 d^2 + 3 d ff + 2 d: Q, K, V, output; SwiGLU; two RMSNorm weights; no biases
//   lm         embedding V d, L blocks, final RMSNorm d, untied head V d
std::int64_t parameter_count(const WorkloadSpec& spec);
std::int64_t tokens_per_step(const WorkloadSpec& spec);  // B * T; mlp: B * T rows

struct Flops {
  double forward = 0;
  double backward = 0;  // 2x forward of matrix products; flash attention 2.5x (recomputes scores)
  [[nodiscard]] double total() const { return forward + backward; }
};
// Of one step of spec.pass; only matrix products are counted, so the optimizer adds nothing.
// F-1: attention forward 4 B H T^2 d, halved when causal (useful share (T + 1) / (2 T)) only for
// backends that skip masked tiles (flash). F-2: LM forward 2 B T [L (4 d^2 + 3 d ff) + V d] +
// attention. `automatic` (it is not known what ran) counts as math.
Flops step_flops(const WorkloadSpec& spec, AttentionBackend backend_ran);

// What ExecutionFacts::backend_ran means for the formulas: every fused kernel (flash,
// mem-efficient, cuDNN) skips masked tiles and recomputes scores as flash does.
AttentionBackend backend_for_formulas(std::string_view backend_ran);

}  // namespace ts::run
