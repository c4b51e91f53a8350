#include "core/text/numbers.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <cmath>
#include <string_view>

namespace ts::text {

namespace {

constexpr const char* kMinus = "\u2212";

// Commas between the thousands of a plain "1234.5".
std::string group_digits(std::string_view plain) {
  const std::size_t whole = std::min(plain.find('.'), plain.size());
  std::string out;
  for (std::size_t i = 0; i < whole; ++i) {
    if (i > 0 && (whole - i) % 3 == 0) out += ',';
    out += plain[i];
  }
  return out.append(plain.substr(whole));
}

// The magnitude as digits; is_zero is set when all of them are 0, so that no sign is needed.
std::string magnitude(double value, int digits, bool& is_zero) {
  const std::string plain = fmt::format("{:.{}f}", std::abs(value), digits);
  is_zero = plain.find_first_of("123456789") == std::string::npos;
  return group_digits(plain);
}

// 3 to 4 significant digits for values from 1 up; small values keep two decimals.
int decimals_for(double absolute) {
  // The thresholds are where rounding would add a digit: 99.995 shows as 100.0, not as 100.00.
  if (absolute < 99.995) return 2;
  if (absolute < 999.95) return 1;
  return 0;
}

std::string scaled(double value) {
  return decimal(value, decimals_for(std::abs(value)));
}

constexpr std::array<const char*, 5> kByteUnits = {"B", "KiB", "MiB", "GiB", "TiB"};

}  // namespace

std::string grouped(std::int64_t number) {
  const bool negative = number < 0;
  const std::uint64_t absolute =
      negative ? 0 - static_cast<std::uint64_t>(number) : static_cast<std::uint64_t>(number);
  return (negative ? kMinus : "") + group_digits(fmt::format("{}", absolute));
}

std::string counted(std::int64_t number, const char* name) {
  return grouped(number) + " " + name + (number == 1 ? "" : "s");
}

std::string decimal(double value, int digits) {
  if (!std::isfinite(value)) return kNoNumber;
  bool is_zero = false;
  const std::string text = magnitude(value, digits, is_zero);
  return value < 0 && !is_zero ? kMinus + text : text;
}

std::string fixed(double value, int digits) {
  return fmt::format("{:.{}f}", value, digits);
}

std::string plain(double value) {
  return std::isfinite(value) ? fmt::format("{}", value) : kNoNumber;
}

std::string percent(double value, int digits) {
  if (!std::isfinite(value)) return kNoNumber;
  bool is_zero = false;
  std::string text = magnitude(value, digits, is_zero);
  if (is_zero) return text;
  return (value < 0 ? kMinus : "+") + text;
}

Quantity bytes(std::int64_t bytes) {
  auto value = static_cast<double>(bytes);
  std::size_t unit = 0;
  // 1023.5 and up would read "1,024": use the next unit instead.
  while (std::abs(value) >= (unit == 0 ? 1024.0 : 1023.5) && unit + 1 < kByteUnits.size()) {
    value /= 1024.0;
    ++unit;
  }
  if (unit == 0) return {grouped(bytes), kByteUnits[0]};
  std::string text = scaled(value);
  // Sizes of tensors are mostly round: "512 MiB" reads better than "512.0 MiB".
  if (std::abs(value) >= 99.995 && text.ends_with(".0")) text.resize(text.size() - 2);
  return {std::move(text), kByteUnits[unit]};
}

Quantity bytes_in(std::int64_t bytes, char unit_letter) {
  std::size_t unit = 0;
  while (unit + 1 < kByteUnits.size() && kByteUnits[unit][0] != unit_letter) ++unit;
  if (unit == 0) return {grouped(bytes), kByteUnits[0]};
  const double value = static_cast<double>(bytes) / std::exp2(10.0 * static_cast<double>(unit));
  return {decimal(value, 2), kByteUnits[unit]};
}

std::string hexadecimal(std::uint64_t number) {
  return fmt::format("{:#x}", number);
}

Quantity duration_ns(double nanoseconds) {
  constexpr std::array<const char*, 4> kUnits = {"ns", "\u00b5s", "ms", "s"};
  double value = nanoseconds;
  std::size_t unit = 0;
  while (std::abs(value) >= 999.95 && unit + 1 < kUnits.size()) {
    value /= 1000.0;
    ++unit;
  }
  // A clock counts whole nanoseconds; a mean of many readings may be finer.
  const bool whole = unit == 0 && value == std::floor(value);
  return {whole ? decimal(value, 0) : scaled(value), kUnits[unit]};
}

Quantity rate(double per_second, const char* what) {
  constexpr std::array<const char*, 6> kPrefixes = {"", "k", "M", "G", "T", "P"};
  double value = per_second;
  std::size_t prefix = 0;
  while (std::abs(value) >= 999.95 && prefix + 1 < kPrefixes.size()) {
    value /= 1000.0;
    ++prefix;
  }
  const bool is_word = std::islower(static_cast<unsigned char>(what[0])) != 0;
  const char* gap = prefix > 0 && is_word ? " " : "";
  return {scaled(value), fmt::format("{}{}{}/s", kPrefixes[prefix], gap, what)};
}

}  // namespace ts::text
