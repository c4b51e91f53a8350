#include "core/calculate/inputs.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <optional>
#include <string>
#include <system_error>

#include "core/text/joined.h"
#include "core/text/message.h"
#include "core/text/numbers.h"
#include "core/text/typed_numbers.h"

namespace ts::calculate {
namespace {

// The largest whole number below which a double is exact.
constexpr double kExact = 9007199254740992.0;

std::optional<std::int64_t> whole_number(std::string_view words) {
  std::string digits(words);
  std::erase(digits, ',');
  if (const auto count = text::parse_count(digits)) return count;
  double number = 0;
  const char* const end = digits.data() + digits.size();
  const auto [rest, problem] = std::from_chars(digits.data(), end, number);
  if (digits.empty() || problem != std::errc() || rest != end) return std::nullopt;
  if (!(std::abs(number) < kExact) || number != std::floor(number)) return std::nullopt;
  return static_cast<std::int64_t>(number);
}

}  // namespace

const char* to_string(Unit unit) {
  constexpr std::array kNames = {"", "bytes", "FLOP", "FLOP/s", "s", "of 1", "", "FLOP/byte"};
  return kNames[static_cast<std::size_t>(unit)];
}

Chosen::Chosen(const char* owner, std::span<const Input> inputs) : owner_(owner), inputs_(inputs) {
  for (const Input& input : inputs) numbers_.push_back(input.start);
}

std::int64_t Chosen::number(std::string_view name) const {
  const auto found = std::ranges::find(inputs_, name, &Input::name);
  return numbers_[static_cast<std::size_t>(found - inputs_.begin())];
}

base::Result<void> Chosen::set(std::size_t input, std::int64_t number) {
  const Input& of = inputs_[input];
  if (number < of.least || number > of.most) {
    return text::fail("calculate_error.range", {{"name", of.name},
                                                {"least", text::grouped(of.least)},
                                                {"most", text::grouped(of.most)},
                                                {"number", text::grouped(number)}});
  }
  numbers_[input] = number;
  return {};
}

base::Result<void> Chosen::set(std::string_view name, std::string_view number) {
  const auto found = std::ranges::find(inputs_, name, &Input::name);
  if (found == inputs_.end()) {
    const std::string known = text::joined(inputs_, ", ", &Input::name);
    return text::fail("calculate_error.no_input",
                      {{"calculator", owner_}, {"name", std::string(name)}, {"known", known}});
  }
  const auto whole = whole_number(number);
  if (!whole) {
    return text::fail("calculate_error.whole",
                      {{"name", std::string(name)}, {"text", std::string(number)}});
  }
  return set(static_cast<std::size_t>(found - inputs_.begin()), *whole);
}

base::Result<void> Chosen::set(std::string_view setting) {
  const std::size_t sign = setting.find('=');
  if (sign != std::string_view::npos) return set(setting.substr(0, sign), setting.substr(sign + 1));
  return text::fail("calculate_error.no_sign", {{"text", std::string(setting)}});
}

}  // namespace ts::calculate
