#include "core/exported/expression.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <utility>

namespace ts::exported {
namespace {

constexpr int kMostLevels = 64;
constexpr std::size_t kMostSteps = 4096;

// A fraction in lowest terms with a positive denominator.
struct Fraction {
  std::int64_t numerator = 0;
  std::int64_t denominator = 1;
};
__extension__ typedef __int128 Wide;  // NOLINT(modernize-use-using): the extension mark needs it

std::optional<Fraction> fraction(Wide numerator, Wide denominator) {
  if (denominator == 0) return std::nullopt;
  if (denominator < 0) {
    numerator = -numerator;
    denominator = -denominator;
  }
  Wide a = numerator < 0 ? -numerator : numerator, b = denominator;
  while (b != 0) a = std::exchange(b, a % b);
  if (a > 1) {
    numerator /= a;
    denominator /= a;
  }
  constexpr Wide kMost = INT64_MAX;
  if (numerator > kMost || numerator < -kMost || denominator > kMost) return std::nullopt;
  return Fraction{static_cast<std::int64_t>(numerator), static_cast<std::int64_t>(denominator)};
}

std::optional<Fraction> add(Fraction a, Fraction b) {
  return fraction(Wide{a.numerator} * b.denominator + Wide{b.numerator} * a.denominator,
                  Wide{a.denominator} * b.denominator);
}

std::optional<Fraction> multiply(Fraction a, Fraction b) {
  return fraction(Wide{a.numerator} * b.numerator, Wide{a.denominator} * b.denominator);
}

std::optional<Fraction> power(Fraction base, Fraction exponent) {
  constexpr std::int64_t kMost = 63;
  if (exponent.denominator != 1 || std::abs(exponent.numerator) > kMost) return std::nullopt;
  std::optional<Fraction> result = Fraction{1, 1};
  const Fraction factor = base;
  for (std::int64_t i = 0; result && i < std::abs(exponent.numerator); ++i) {
    result = multiply(*result, factor);
  }
  if (!result || exponent.numerator >= 0) return result;
  return fraction(result->denominator, result->numerator);
}

std::int64_t floor_of(Fraction value) {
  const std::int64_t whole = value.numerator / value.denominator;
  return value.numerator % value.denominator < 0 ? whole - 1 : whole;
}

std::optional<Fraction> floor_divide(Fraction a, Fraction b) {
  const auto quotient =
      fraction(Wide{a.numerator} * b.denominator, Wide{a.denominator} * b.numerator);
  if (!quotient) return std::nullopt;
  return Fraction{floor_of(*quotient), 1};
}

std::optional<Fraction> modulo(Fraction a, Fraction b) {
  const auto quotient = floor_divide(a, b);
  if (!quotient) return std::nullopt;
  const auto whole = multiply(*quotient, b);
  if (!whole) return std::nullopt;
  return add(a, Fraction{-whole->numerator, whole->denominator});
}

bool less(Fraction a, Fraction b) {
  return Wide{a.numerator} * b.denominator < Wide{b.numerator} * a.denominator;
}

}  // namespace

class Expression::Parser {
 public:
  Parser(std::string_view text, const SymbolNumber& symbol) : text_(text), symbol_(symbol) {}

  std::optional<Expression> run() {
    if (!term(0)) return std::nullopt;
    skip_blanks();
    if (!text_.empty()) return std::nullopt;
    return std::move(made_);
  }

 private:
  void skip_blanks() {
    while (!text_.empty() && text_.front() == ' ') text_.remove_prefix(1);
  }
  bool take(char wanted) {
    skip_blanks();
    if (text_.empty() || text_.front() != wanted) return false;
    text_.remove_prefix(1);
    return true;
  }
  // The last part of a dotted name.
  std::string_view name() {
    skip_blanks();
    std::size_t size = 0;
    const auto part_of_name = [](char c) {
      return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
             c == '_' || c == '.';
    };
    while (size < text_.size() && part_of_name(text_[size])) ++size;
    const std::string_view whole = text_.substr(0, size);
    text_.remove_prefix(size);
    return whole.substr(whole.rfind('.') + 1);
  }
  std::optional<std::int64_t> number() {
    skip_blanks();
    std::int64_t value = 0;
    const auto [end, error] = std::from_chars(text_.data(), text_.data() + text_.size(), value);
    if (error != std::errc()) return std::nullopt;
    text_.remove_prefix(static_cast<std::size_t>(end - text_.data()));
    return value;
  }
  bool push(Step step) {
    if (made_.steps_.size() >= kMostSteps) return false;
    made_.steps_.push_back(step);
    return true;
  }

  bool whole_number() {
    const auto value = number();
    return value && take(')') && push({Kind::number, 0, *value, 1});
  }
  bool rational() {
    const auto numerator = number();
    if (!numerator || !take(',')) return false;
    const auto denominator = number();
    if (!denominator || !take(')')) return false;
    const auto value = fraction(*numerator, *denominator);
    return value && push({Kind::number, 0, value->numerator, value->denominator});
  }
  // Symbol('s27', positive=True, integer=True)
  bool named_symbol() {
    if (!take('\'')) return false;
    const std::size_t end = text_.find('\'');
    if (end == std::string_view::npos) return false;
    const auto found = symbol_(text_.substr(0, end));
    text_.remove_prefix(end + 1);
    while (take(',')) {
      name();
      if (!take('=')) return false;
      name();
    }
    return found && take(')') && push({Kind::symbol, *found, 0, 1});
  }

  bool term(int level) {
    if (level > kMostLevels) return false;
    const std::string_view function = name();
    if (!take('(')) return false;
    if (function == "Integer") return whole_number();
    if (function == "Rational") return rational();
    if (function == "Symbol") return named_symbol();
    struct Known {
      std::string_view name;
      Kind kind;
      std::uint32_t operands;  // 0: any number of them
    };
    static constexpr std::array kKnown = {Known{"Add", Kind::add, 0},
                                          Known{"Mul", Kind::mul, 0},
                                          Known{"Pow", Kind::pow, 2},
                                          Known{"FloorDiv", Kind::floor_div, 2},
                                          Known{"CleanDiv", Kind::floor_div, 2},
                                          Known{"Mod", Kind::mod, 2},
                                          Known{"PythonMod", Kind::mod, 2},
                                          Known{"Min", Kind::min, 0},
                                          Known{"Max", Kind::max, 0}};
    const auto* const known = std::ranges::find(kKnown, function, &Known::name);
    if (known == kKnown.end()) return false;
    std::uint32_t count = 0;
    do {
      if (!term(level + 1)) return false;
      ++count;
    } while (take(','));
    if (!take(')') || (known->operands != 0 && count != known->operands)) return false;
    return push({known->kind, count, 0, 1});
  }

  std::string_view text_;
  const SymbolNumber& symbol_;
  Expression made_;
};

std::optional<Expression> Expression::parse(std::string_view text, const SymbolNumber& symbol) {
  return Parser(text, symbol).run();
}

std::optional<std::int64_t> Expression::value(std::span<const std::int64_t> symbols) const {
  std::vector<Fraction> stack;
  for (const Step& step : steps_) {
    if (step.kind == Kind::number) {
      stack.push_back({step.numerator, step.denominator});
      continue;
    }
    if (step.kind == Kind::symbol) {
      if (step.count >= symbols.size()) return std::nullopt;
      stack.push_back({symbols[step.count], 1});
      continue;
    }
    const std::size_t first = stack.size() - step.count;
    Fraction result = stack[first];
    for (std::size_t i = first + 1; i < stack.size(); ++i) {
      std::optional<Fraction> next;
      switch (step.kind) {
        case Kind::add:
          next = add(result, stack[i]);
          break;
        case Kind::mul:
          next = multiply(result, stack[i]);
          break;
        case Kind::pow:
          next = power(result, stack[i]);
          break;
        case Kind::floor_div:
          next = floor_divide(result, stack[i]);
          break;
        case Kind::mod:
          next = modulo(result, stack[i]);
          break;
        case Kind::min:
          next = less(stack[i], result) ? stack[i] : result;
          break;
        default:
          next = less(result, stack[i]) ? stack[i] : result;
          break;
      }
      if (!next) return std::nullopt;
      result = *next;
    }
    stack.resize(first);
    stack.push_back(result);
  }
  if (stack.size() != 1 || stack.front().denominator != 1) return std::nullopt;
  return stack.front().numerator;
}

std::optional<std::uint32_t> Expression::symbol() const {
  if (steps_.size() != 1 || steps_.front().kind != Kind::symbol) return std::nullopt;
  return steps_.front().count;
}

std::vector<std::uint32_t> Expression::symbols() const {
  std::vector<std::uint32_t> found;
  for (const Step& step : steps_) {
    if (step.kind != Kind::symbol) continue;
    if (std::find(found.begin(), found.end(), step.count) == found.end()) {
      found.push_back(step.count);
    }
  }
  return found;
}

}  // namespace ts::exported
