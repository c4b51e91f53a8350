#pragma once

#include <nlohmann/json_fwd.hpp>

#include "core/calculate/calculator.h"

namespace ts::calculate {

// {calculator, source, inputs {NAME: number}, terms [{name, formula, value, unit}]}. Values are in
// the unit that to_string(Unit) names; one that is not finite is null.
nlohmann::json to_json(const Values& values);

}  // namespace ts::calculate
