#pragma once

#include <functional>
#include <optional>
#include <string_view>

#include "core/base/result.h"

namespace ts::calculate {

// Returns the number that a name stands for; nothing for an unknown name. Empty: no name is known.
using ValueOf = std::function<std::optional<double>(std::string_view name)>;

// Evaluates an arithmetic expression: numbers ("6", "1e-6"), names (letters, digits, _), + - * / ^,
// a <= b (1 or 0), parentheses, and the functions ceil(x), floor(x), min(a, b), max(a, b) and
// if(condition, then, else). ^ is the power and binds to the right. An error is one English
// sentence that names the place.
base::Result<double> evaluate(std::string_view expression, const ValueOf& value_of);

}  // namespace ts::calculate
