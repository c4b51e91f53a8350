#pragma once

#include <string>

#include "core/base/result.h"
#include "core/lessons/lesson.h"

namespace ts::lessons {

// Finds the first name in a lesson that nothing in it has: a value, a column, a step, a quantity or
// its argument. `name` (of the lesson or of its file) begins the error.
base::Result<void> check_names(const Lesson& lesson, const std::string& name);

}  // namespace ts::lessons
