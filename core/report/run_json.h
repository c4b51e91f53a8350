#pragma once

#include <nlohmann/json_fwd.hpp>
#include <span>

#include "core/report/verdict.h"
#include "core/run/run.h"

namespace ts::report {

// The document of `run --json` and run.json:
//   training {loss_scale, clean_steps, ..., steps [{loss, learning_rate, gradient_norm, loss_scale,
//             skipped}]}: of the last step, and of every step in order
//   spec, protocol, verdict, sentence, reason, reason_key (the reason's text in assets/locale),
//   failure, backend_ran, parameters, training, types, environment
//   step_ms {n, median, ci95 [low, high], min, q1, q3, p90, p99, mean, std, outliers,
//            outlier_above, warmup_steps, settled (the warm-up), stable (that, and few outliers)},
//            parts_ms {forward, backward, optimizer, prefill, decode, device} (the same of each
//            part; device: between two CUDA events)
//   gpu_states [{sm_clock_mhz, memory_clock_mhz, temperature_c, power_w, throttle, used_bytes}],
//            restart (the device no longer responds)
//   rank {rank, ranks, clock_offset_ns (rank 0's clock less this one's), round_trip_ns (by which it
//        was measured), buckets (bytes, in their order), compression {elements, sent, left_out}
//        (run::CompressionFacts; null without factors)}: null unless it is one of several
//   cache: hot or cold, the state of the caches before a step
//   unsynchronised_ms: the median step by a clock that does not wait for the device; null on cpu
//   earlier_runs (of this process), tokens_per_s, decode_tokens_per_s, flops, tflops_per_s (rates
//   by the median step)
//   generated {tokens, text}: of the first sequence
//   results [{name, value, exact, error_percent}]: the sums of workload accumulation; for layernorm
//           value is the count of numbers that came out as inf or nan, exact 0, error_percent null
//   curves {x, y (their axes, spec::CurveAxes), of [{name, x, y, largest}]}; null without any
//   roof {dtype, size, tflops, gb_s}: the best large product and copy measured on the device
//   utilisation [{formula, source, flops_per_token, flops_per_step, peak, peak_tflops, mfu,
//                over_one (why mfu is over 1)}]
//   memory {peak_allocated (by the allocator's own count), peak_first_step (the most live until the
//           first recorded step ended; null where the peak lies there), before_backward (live when
//           the last recorded backward began), peak_reserved, peak_of_records (less or more where
//           records were lost), by_category (at that peak), events, unmatched_frees, limit,
//           limit_source}
//   recording {steps, slices, dropped, clock_drift_ns (of the GPU's clock against ours; null on
//             cpu), probes, cost {percent, ci95, clear}, notes}: cost in percent of a step, by
//             `probes` samples; clear: zero is not in its interval; notes: sentences on lost
//             records and on effects of recording
//   samples_ms {recorded, warmup, timed, probe} (raw), loss of the last step
// Times in milliseconds, sizes in bytes. A value that was not measured is null.
nlohmann::json to_json(const run::Run& run, const nlohmann::json& environment);
// The same with what the recording says; `strings` is its table.
//   checks: as checks.h has them
//   limits {flops, bytes, intensity, ridge, compute_percent, bandwidth_percent}: of the step, by
//          formula and the roofs; null where they are not known
//   shares {operators_percent (of a recorded step), attention_percent (of its operators)}: null on
//          a GPU
//   gpu: kernels_json of a run on a GPU
nlohmann::json to_json(const run::Run& run, const nlohmann::json& environment,
                       const base::StringTable& strings);

nlohmann::json types_json(std::span<const run::NamedType> types);  // [{name, type}, ...]
nlohmann::json category_json(const memory::CategoryBytes& bytes);  // by the names of the categories

}  // namespace ts::report
