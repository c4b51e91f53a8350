#pragma once

#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <vector>

#include "core/run/engine.h"
#include "core/run/failure.h"

// Step times, facts, errors of values and failures as files of the program keep them: recordings
// and sessions. What reads throws nlohmann::json::exception where a part is missing or of another
// type.
namespace ts::run {

nlohmann::json steps_json(const std::vector<StepTimes>& steps);
std::vector<StepTimes> steps_from(const nlohmann::json& json);

nlohmann::json facts_json(const ExecutionFacts& facts);
ExecutionFacts facts_from(const nlohmann::json& json);

nlohmann::json values_json(const std::optional<ValueErrors>& values);
std::optional<ValueErrors> values_from(const nlohmann::json& json);

nlohmann::json failure_json(const Failure& failure);
Failure failure_from(const nlohmann::json& json, Verdict verdict);

}  // namespace ts::run
