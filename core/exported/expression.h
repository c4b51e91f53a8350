#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

namespace ts::exported {

// A size that depends on symbols, as torch.export writes it (sympy's srepr):
// "Mul(Integer(8), Symbol('s27', positive=True, integer=True))".
class Expression {
 public:
  // `symbol` gives the number of a symbol by its name, nothing for an unknown one. Nothing where
  // the text is no expression, or uses a function that is not known here.
  using SymbolNumber = std::function<std::optional<std::uint32_t>(std::string_view name)>;
  static std::optional<Expression> parse(std::string_view text, const SymbolNumber& symbol);

  // The value for these values of the symbols, by number. Nothing where it is no whole number, on a
  // division by zero and beyond 64 bits.
  [[nodiscard]] std::optional<std::int64_t> value(std::span<const std::int64_t> symbols) const;
  // The symbol that the expression is, where it is nothing else.
  [[nodiscard]] std::optional<std::uint32_t> symbol() const;
  // Numbers of all symbols in it.
  [[nodiscard]] std::vector<std::uint32_t> symbols() const;

 private:
  enum class Kind : std::uint8_t { number, symbol, add, mul, pow, floor_div, mod, min, max };
  struct Step {  // in postfix order
    Kind kind = Kind::number;
    std::uint32_t count = 0;  // operands; of a symbol its number
    std::int64_t numerator = 0;
    std::int64_t denominator = 1;
  };
  class Parser;

  std::vector<Step> steps_;
};

}  // namespace ts::exported
