#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/result.h"
#include "core/lessons/quantities.h"

namespace ts::lessons {

// "curve.peak_bytes(naive, T = 2048)": one number of a named step or value.
struct Reference {
  std::string of;        // a step or a value
  std::string name;      // a quantity or a column
  std::string argument;  // what is in parentheses
};

// Numbers, references, + - * / and parentheses: the computations of a lesson on its results.
struct Expression {
  enum class Kind : std::uint8_t { constant, reference, add, subtract, multiply, divide };
  Kind kind = Kind::constant;
  double constant = 0;
  Reference reference;
  std::vector<Expression> of;  // the two operands of an operation
  std::string text;            // as it was written; only set for the whole expression
};

// The error describes the problem, worded as the end of a sentence.
base::Result<Expression> parse_expression(std::string_view text);

void visit_references(const Expression& expression,
                      const std::function<void(const Reference&)>& visit);

// Unset if a reference has no number, or a divisor is 0. Units are derived: bytes over bytes are a
// ratio, terms of a sum must have the same unit. Natures too: two different natures give a
// comparison.
std::optional<Number> evaluate(
    const Expression& expression,
    const std::function<std::optional<Number>(const Reference&)>& number_of);

}  // namespace ts::lessons
