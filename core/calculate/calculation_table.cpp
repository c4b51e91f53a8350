#include "core/calculate/calculation_table.h"

#include <cmath>
#include <utility>

#include "core/text/numbers.h"

namespace ts::calculate {
namespace {

constexpr double kLargestWhole = 9e18;
constexpr double kManyDigits = 1e15;  // beyond, a double does not hold every whole number

bool is_whole(double value) {
  return value == std::floor(value) && std::abs(value) < kManyDigits;
}

// "14.19 TFLOP": a rate without its "/s".
std::string flop_text(double value) {
  text::Quantity rate = text::rate(value, "FLOP");
  if (rate.unit.ends_with("/s")) rate.unit.resize(rate.unit.size() - 2);
  return rate.joined();
}

}  // namespace

std::string formula_text(std::string_view formula) {
  std::string words;
  for (std::size_t i = 0; i < formula.size(); ++i) {
    const std::string_view left = formula.substr(i);
    const bool exponent = i > 1 && formula[i - 1] == 'e' && formula[i - 2] >= '0' &&
                          formula[i - 2] <= '9';  // of 1e-6
    if (left.starts_with("<=")) {
      words += " \xe2\x89\xa4 ";
      ++i;
    } else if (left.starts_with("^2")) {
      words += "\xc2\xb2";
      ++i;
    } else if (left.front() == '*') {
      words += " \xc3\x97 ";
    } else if (left.front() == '/') {
      words += " / ";
    } else if (left.front() == '+') {
      words += " + ";
    } else if (left.front() == '-' && !exponent) {
      words += " \xe2\x88\x92 ";
    } else {
      words += left.front();
    }
  }
  return words;
}

std::string value_text(double value, Unit unit) {
  if (!std::isfinite(value)) return text::kNoNumber;
  switch (unit) {
    case Unit::bytes:
      if (std::abs(value) >= kLargestWhole) return text::kNoNumber;
      return text::bytes(std::llround(value)).joined();
    case Unit::flops:
      return flop_text(value);
    case Unit::flop_rate:
      return text::rate(value, "FLOP").joined();
    case Unit::seconds:
      return text::duration_ns(value * 1e9).joined();
    case Unit::share:
      return text::decimal(value * 100, 1) + " %";
    case Unit::times:
      return text::decimal(value, 2) + " \xc3\x97";
    case Unit::flops_per_byte:
      return text::decimal(value, 1) + " FLOP/byte";
    case Unit::number:
      break;
  }
  if (is_whole(value)) return text::grouped(std::llround(value));
  return text::decimal(value, 3);
}

std::string exact_text(double value, Unit unit) {
  const bool rounded = unit == Unit::bytes || unit == Unit::flops;
  if (!rounded || !std::isfinite(value) || !is_whole(value)) return {};
  return text::grouped(std::llround(value));
}

io::TextTable calculation_table(const Values& values, const text::Texts& texts) {
  const Calculator& calculator = values.calculator();
  io::TextTable table;
  for (const char* const column :
       {"calculate.column.what", "calculate.column.name", "calculate.column.formula",
        "calculate.column.value", "calculate.column.exact"}) {
    table.columns.emplace_back(texts(column));
  }
  table.right = {false, false, false, true, true};
  for (std::size_t i = 0; i < calculator.inputs.size(); ++i) {
    const Input& input = calculator.inputs[i];
    std::string value = text::grouped(values.of(i));
    if (*input.unit != '\0') value += " " + std::string(input.unit);
    table.rows.push_back({texts("calculate.input." + std::string(input.name)), input.name, "",
                          std::move(value), ""});
  }
  const std::vector<double> results = values.terms();
  for (std::size_t i = 0; i < results.size(); ++i) {
    const Term& term = calculator.terms[i];
    table.rows.push_back({texts("calculate.term." + std::string(term.name)), term.name,
                          formula_text(term.formula), value_text(results[i], term.unit),
                          exact_text(results[i], term.unit)});
  }
  return table;
}

}  // namespace ts::calculate
