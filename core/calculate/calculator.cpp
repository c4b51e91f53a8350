#include "core/calculate/calculator.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <limits>
#include <system_error>

#include "core/calculate/expression.h"
#include "core/text/message.h"
#include "core/text/numbers.h"

namespace ts::calculate {
namespace {

// The largest whole number below which a double is exact.
constexpr double kExact = 9007199254740992.0;

std::optional<std::int64_t> whole_number(std::string_view words) {
  std::string digits(words);
  std::erase(digits, ',');
  double number = 0;
  const char* const end = digits.data() + digits.size();
  const auto [rest, problem] = std::from_chars(digits.data(), end, number);
  if (digits.empty() || problem != std::errc() || rest != end) return std::nullopt;
  if (!(std::abs(number) < kExact) || number != std::floor(number)) return std::nullopt;
  return static_cast<std::int64_t>(number);
}

}  // namespace

const char* to_string(Unit unit) {
  switch (unit) {
    case Unit::bytes:
      return "bytes";
    case Unit::flops:
      return "FLOP";
    case Unit::flop_rate:
      return "FLOP/s";
    case Unit::seconds:
      return "s";
    case Unit::share:
      return "of 1";
    case Unit::flops_per_byte:
      return "FLOP/byte";
    case Unit::number:
    case Unit::times:
      break;
  }
  return "";
}

base::Result<const Calculator*> calculator_from(std::string_view id) {
  const auto all = calculators();
  const auto found = std::ranges::find(all, id, &Calculator::id);
  if (found != all.end()) return &*found;
  std::string known;
  for (const Calculator& one : all) known += (known.empty() ? "" : ", ") + std::string(one.id);
  return text::fail("calculate_error.no_calculator", {{"id", std::string(id)}, {"known", known}});
}

Values::Values(const Calculator& calculator) : calculator_(&calculator) {
  for (const Input& input : calculator.inputs) numbers_.push_back(input.start);
}

base::Result<void> Values::set(std::size_t input, std::int64_t number) {
  const Input& of = calculator_->inputs[input];
  if (number < of.least || number > of.most) {
    return text::fail("calculate_error.range", {{"name", of.name},
                                                {"least", text::grouped(of.least)},
                                                {"most", text::grouped(of.most)},
                                                {"number", text::grouped(number)}});
  }
  numbers_[input] = number;
  return {};
}

base::Result<void> Values::set(std::string_view name, std::string_view number) {
  const auto& inputs = calculator_->inputs;
  const auto found = std::ranges::find(inputs, name, &Input::name);
  if (found == inputs.end()) {
    std::string known;
    for (const Input& one : inputs) known += (known.empty() ? "" : ", ") + std::string(one.name);
    return text::fail(
        "calculate_error.no_input",
        {{"calculator", calculator_->id}, {"name", std::string(name)}, {"known", known}});
  }
  const auto whole = whole_number(number);
  if (!whole) {
    return text::fail("calculate_error.whole",
                      {{"name", std::string(name)}, {"text", std::string(number)}});
  }
  return set(static_cast<std::size_t>(found - inputs.begin()), *whole);
}

std::vector<double> Values::terms() const {
  std::vector<double> done;
  const auto value_of = [&](std::string_view name) -> std::optional<double> {
    for (std::size_t i = 0; i < done.size(); ++i) {
      if (name == calculator_->terms[i].name) return done[i];
    }
    for (std::size_t i = 0; i < numbers_.size(); ++i) {
      if (name == calculator_->inputs[i].name) return static_cast<double>(numbers_[i]);
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
