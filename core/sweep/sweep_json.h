#pragma once

#include <nlohmann/json_fwd.hpp>

#include "core/sweep/sweep_results.h"

namespace ts::sweep {

// One point, as in the results and in the journal:
//   series (its label), at {axis: value}, status, measured, reason,
//   step_ms {n, median, ci95 [low, high], min, q1, q3, p90, p99, mean, std, outliers, warmup_steps,
//            settled, stable}, parts_ms {forward, backward, optimizer}, tokens_per_s,
//            samples_per_s,
//   tflops_per_s, peak_allocated, before_backward (bytes live when the last backward began),
//   peak_predicted, before_backward_predicted, limit, limit_source, parameters, backend_ran,
//   failure {op, module, bytes_asked, bytes_free} (oom), wall_s, roofs {source, tflops, gb_s},
//   predicted {fit, needed, target, capacity, problem, roofs, failure} (by a dry run, as is
//   peak_predicted)
// Times in milliseconds unless the name says otherwise, sizes in bytes. Unknown values are null.
nlohmann::json to_json(const Sweep& sweep, const SweepPoint& point);

// The measurement of a point of a journal. Throws nlohmann::json::exception if a key is missing or
// of another type.
PointMeasurement measurement_from_json(const nlohmann::json& json);
// The prediction of a point; nothing known if the journal is older than predictions.
PointPrediction prediction_from_json(const nlohmann::json& json);

// The whole result: sweep (the specification), environment, points, fits, crossovers, saturation;
// the last three as sweep_results.h has them. Points have three keys more:
// step_ms_estimated_from_neighbour (Sweep::estimated_step_ms), theory (theory_json) and
// faster_than_bound (the sentence of beaten_bound, or null).
nlohmann::json to_json(const Sweep& sweep, const nlohmann::json& environment, FitRange range = {});

}  // namespace ts::sweep
