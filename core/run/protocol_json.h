#pragma once

#include <nlohmann/json_fwd.hpp>

#include "core/base/result.h"
#include "core/run/protocol.h"

namespace ts::run {

nlohmann::json to_json(const Protocol& protocol);
// All keys must be there, as numbers; the round trip is exact.
base::Result<Protocol> protocol_from_json(const nlohmann::json& json);

// n, median, ci95 [low, high], min, q1, q3, p90, p99, mean, std (ms), outliers, outlier_above (ms),
// warmup_steps, settled (the warm-up converged), stable (and few outliers). A value that was not
// measured is null.
nlohmann::json to_json(const TimingSummary& timing);
// The times of whole steps (ms).
nlohmann::json samples_json(const std::vector<StepTimes>& steps);
// Throws nlohmann::json::exception where a key is missing or of another type.
TimingSummary timing_from_json(const nlohmann::json& json);

}  // namespace ts::run
