#include "core/calculate/calculator.h"

#include <algorithm>
#include <limits>
#include <optional>
#include <string>

#include "core/calculate/expression.h"
#include "core/text/joined.h"
#include "core/text/message.h"

namespace ts::calculate {

base::Result<const Calculator*> calculator_from(std::string_view id) {
  const auto all = calculators();
  const auto found = std::ranges::find(all, id, &Calculator::id);
  if (found != all.end()) return &*found;
  return text::fail("calculate_error.no_calculator",
                    {{"id", std::string(id)}, {"known", text::joined(all, ", ", &Calculator::id)}});
}

std::vector<double> Values::terms() const {
  std::vector<double> done;
  const auto value_of = [&](std::string_view name) -> std::optional<double> {
    for (std::size_t i = 0; i < done.size(); ++i) {
      if (name == calculator_->terms[i].name) return done[i];
    }
    for (std::size_t i = 0; i < inputs().size(); ++i) {
      if (name == inputs()[i].name) return static_cast<double>(of(i));
    }
    return std::nullopt;
  };
  for (const Term& term : calculator_->terms) {
    const auto value = evaluate(term.formula, value_of);
    done.push_back(value ? *value : std::numeric_limits<double>::quiet_NaN());
  }
  return done;
}

}  // namespace ts::calculate
