#pragma once

#include <span>
#include <string_view>
#include <vector>

#include "core/calculate/inputs.h"

namespace ts::calculate {

// One line of a derivation. The formula uses the names of inputs and of terms above it; it is what
// is evaluated and what is shown. The text of its label is "calculate.term.NAME".
struct Term {
  const char* name;
  const char* formula;  // see expression.h
  Unit unit = Unit::number;
};

// A calculation of the material, each term of it shown. The text of its title is
// "calculate.title.ID".
struct Calculator {
  const char* id;
  const char* source;  // where the formula stands; names of papers and programs, in no language
  std::vector<Input> inputs;
  std::vector<Term> terms;
};

std::span<const Calculator> calculators();
// An error lists the known ones.
base::Result<const Calculator*> calculator_from(std::string_view id);

// The chosen numbers of a calculator, and what follows from them.
class Values : public Chosen {
 public:
  explicit Values(const Calculator& calculator)
      : Chosen(calculator.id, calculator.inputs), calculator_(&calculator) {}

  [[nodiscard]] const Calculator& calculator() const { return *calculator_; }
  // The values of all terms, in their order. Not finite where a formula divides by zero.
  [[nodiscard]] std::vector<double> terms() const;

 private:
  const Calculator* calculator_;
};

}  // namespace ts::calculate
