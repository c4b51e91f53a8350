#pragma once

#include <nlohmann/json.hpp>
#include <string>

#include "core/run/run.h"
#include "core/run/verdict.h"

namespace ts::run {

// The document of `run --json` and run.json:
//   spec, protocol, verdict, sentence, reason, failure, backend_ran, parameters, training,
//   types, environment
//   step_ms {n, median, ci95 [low, high], min, q1, q3, p90, p99, mean, std, outliers,
//   outlier_above,
//            warmup_steps, stable}, parts_ms {forward, backward, optimizer, prefill, decode} (the
//            same of each part)
//   earlier_runs (of this process), tokens_per_s, decode_tokens_per_s, flops, tflops_per_s
//   generated {tokens, text}: of the first sequence
//   roof {dtype, size, tflops}: the best large product measured on the device
//   utilisation [{formula, source, flops_per_token, flops_per_step, peak, peak_tflops, mfu}]
//   memory {peak_allocated, by_category (at the peak), events, unmatched_frees, limit,
//           limit_source}
//   recording {steps, slices, dropped, probes, overhead_percent} (probes: samples behind the cost)
//   samples_ms {recorded, warmup, timed, probe} (raw), loss of the last step
// Times in milliseconds, sizes in bytes. What was not measured is null.
nlohmann::json to_json(const Run& run, const nlohmann::json& environment);

// parameter, optimizer_state, gradient, input, activation, temporary, unknown
const char* category_name(memory::Category category);
nlohmann::json category_json(const memory::CategoryBytes& bytes);  // by those names

}  // namespace ts::run
