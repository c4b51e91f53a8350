#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/result.h"

namespace ts::calculate {

// What a number counts: decides how it is written.
enum class Unit : std::uint8_t {
  number,
  bytes,
  flops,
  flop_rate,  // FLOP/s
  seconds,
  share,  // of 1, written in percent
  times,
  flops_per_byte,
};
const char* to_string(Unit unit);  // "bytes", "FLOP/s"; number and times: ""

// A whole number that is chosen. The text of its label is "calculate.input.NAME".
struct Input {
  const char* name;  // as formulas and the command line have it: "ranks"
  const char* unit;  // "GB/s"; empty: none
  std::int64_t start = 1;
  std::int64_t least = 1;
  std::int64_t most = 1;
  // 0 and 1: a switch.
  [[nodiscard]] bool is_switch() const { return least == 0 && most == 1; }
};

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

// The chosen numbers of a calculator. Begins with the start values.
class Values {
 public:
  explicit Values(const Calculator& calculator);

  [[nodiscard]] const Calculator& calculator() const { return *calculator_; }
  [[nodiscard]] std::int64_t of(std::size_t input) const { return numbers_[input]; }
  // Out of the input's range: an error with the range, and nothing changes.
  base::Result<void> set(std::size_t input, std::int64_t number);
  // From "ranks" and "8", "7e9" or "4,096".
  base::Result<void> set(std::string_view name, std::string_view number);

  // The values of all terms, in their order. Not finite where a formula divides by zero.
  [[nodiscard]] std::vector<double> terms() const;

 private:
  const Calculator* calculator_;
  std::vector<std::int64_t> numbers_;
};

}  // namespace ts::calculate
