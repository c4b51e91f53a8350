#pragma once

#include <nlohmann/json_fwd.hpp>

#include "core/predict/outlook.h"

namespace ts::predict {

// The prediction for `spec`; the command `predict` adds the remedies that it found and the time of
// the allocator's model. Sizes in bytes; a missing value is null.
nlohmann::json to_json(const Forecast& forecast, const spec::WorkloadSpec& spec);

}  // namespace ts::predict
