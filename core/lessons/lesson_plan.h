#pragma once

#include "core/lessons/lesson_json.h"

namespace ts::lessons {

// What a step does in one tier, from its object; what is wrong is told to `reader`.
std::optional<StepPlan> read_plan(ObjectReader& reader, const spec::GpuCatalogue& gpus);

// Whether what stands in the parentheses of a quantity can be of that step; else why not.
base::Result<void> check_argument(const QuantityRow& row, const std::string& argument,
                                  const StepPlan& plan);

// Whether the step has that quantity for a column: a measured one is none of a prediction.
bool gives(const StepPlan& plan, const QuantityRow& row, Column column);

}  // namespace ts::lessons
