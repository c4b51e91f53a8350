#pragma once

#include <cstdint>

#include "core/spec/workload_spec.h"

namespace ts::kernels {

// Learning rate of the step `step`, from 0. Cosine: linear from 0 over warmup_steps, then half a
// cosine down to min_lr at cycle_steps, min_lr from there on:
//   min + 0.5 (1 + cos(pi (t - w) / (c - w))) (max - min)
double learning_rate_at(const spec::WorkloadSpec& spec, std::int64_t step);

}  // namespace ts::kernels
