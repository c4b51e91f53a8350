#include "core/text/typed_numbers.h"

#include <array>
#include <charconv>
#include <cmath>
#include <span>

#include "core/base/letters.h"

namespace ts::text {
namespace {

struct TypedUnit {
  std::string_view name;
  double factor;
};

constexpr double kBinaryKilo = 1024.0;
constexpr std::array<TypedUnit, 7> kTypedCounts = {{{"", 1},
                                                    {"k", 1e3},
                                                    {"M", 1e6},
                                                    {"G", 1e9},
                                                    {"Ki", kBinaryKilo},
                                                    {"Mi", kBinaryKilo* kBinaryKilo},
                                                    {"Gi", kBinaryKilo* kBinaryKilo* kBinaryKilo}}};
constexpr std::array<TypedUnit, 10> kTypedBytes = {
    {{"", 1},
     {"B", 1},
     {"kB", 1e3},
     {"MB", 1e6},
     {"GB", 1e9},
     {"TB", 1e12},
     {"KiB", kBinaryKilo},
     {"MiB", kBinaryKilo* kBinaryKilo},
     {"GiB", kBinaryKilo* kBinaryKilo* kBinaryKilo},
     {"TiB", kBinaryKilo* kBinaryKilo* kBinaryKilo* kBinaryKilo}}};

// `rounded`: a fraction of a unit need not be a whole number.
std::optional<std::int64_t> parse_with_units(std::string_view text,
                                             std::span<const TypedUnit> units, bool rounded) {
  text = base::trimmed(text);
  // Whole numbers are parsed exactly: a double would round above 2^53.
  std::int64_t whole = 0;
  const char* const end = text.data() + text.size();
  const auto [whole_end, whole_error] = std::from_chars(text.data(), end, whole);
  if (whole_error == std::errc{} && whole_end == end) return whole;

  double value = 0;
  const auto [rest, error] = std::from_chars(text.data(), end, value, std::chars_format::fixed);
  if (error != std::errc{} || !std::isfinite(value)) return std::nullopt;
  const std::string_view unit_name = base::trimmed({rest, static_cast<std::size_t>(end - rest)});
  for (const TypedUnit& unit : units) {
    if (unit.name != unit_name) continue;
    const double exact = value * unit.factor;
    const double scaled = rounded && unit.factor > 1 ? std::round(exact) : exact;
    constexpr double kLargest = 9.0e18;
    if (std::abs(scaled) > kLargest || scaled != std::floor(scaled)) return std::nullopt;
    return static_cast<std::int64_t>(scaled);
  }
  return std::nullopt;
}

}  // namespace

std::optional<std::int64_t> parse_count(std::string_view text) {
  return parse_with_units(text, kTypedCounts, false);
}

std::optional<std::int64_t> parse_bytes(std::string_view text) {
  if (base::trimmed(text) == "auto") return 0;
  return parse_with_units(text, kTypedBytes, true);
}

std::optional<double> parse_real(std::string_view text) {
  text = base::trimmed(text);
  double value = 0;
  const char* const end = text.data() + text.size();
  const auto [rest, error] = std::from_chars(text.data(), end, value);
  if (error != std::errc{} || rest != end || !std::isfinite(value)) return std::nullopt;
  return value;
}

}  // namespace ts::text
