#pragma once

#include <nlohmann/json_fwd.hpp>

#include "core/predict/outlook.h"

namespace ts::predict {

// What is predicted of `spec`; `predict` adds the remedies it looked for and how long the
// allocator's model took. Sizes in bytes; what there is not is null.
nlohmann::json to_json(const Forecast& forecast, const spec::WorkloadSpec& spec);

}  // namespace ts::predict
