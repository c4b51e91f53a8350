#pragma once

#include "core/lessons/lesson_json.h"

namespace ts::lessons {

// Reads the plan of a step in one tier from its object; errors are reported to `reader`.
std::optional<StepPlan> read_plan(ObjectReader& reader, const spec::GpuCatalogue& gpus);

// Checks that the argument in the parentheses of a quantity suits that step; else says why not.
base::Result<void> check_argument(const QuantityRow& row, const std::string& argument,
                                  const StepPlan& plan);

// The unit of a quantity of that step; the argument must suit it.
Unit unit_of(const QuantityRow& row, const std::string& argument, const StepPlan& plan);

// True if the step has that quantity for a column: a prediction has no measured ones.
bool gives(const StepPlan& plan, const QuantityRow& row, Column column);

}  // namespace ts::lessons
