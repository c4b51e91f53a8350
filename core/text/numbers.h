#pragma once

#include <concepts>
#include <cstdint>
#include <string>

namespace ts::text {

// Formats numbers for display: the same in every language and under every C and C++ locale.
// Thousands are grouped with a comma, the minus is U+2212, a value that is not finite is an en
// dash.

// Shown when there is no number: an en dash.
inline constexpr const char* kNoNumber = "\xe2\x80\x93";

inline constexpr double kBytesInMiB = 1024.0 * 1024.0;
inline constexpr double kBytesInGiB = 1024.0 * kBytesInMiB;

// A number and its unit, separate: the unit has its own column.
struct Quantity {
  std::string value;  // "19.93", "2,048", "−0.4"
  std::string unit;   // "GiB"
  [[nodiscard]] std::string joined() const { return unit.empty() ? value : value + " " + unit; }
};

// Binary: B KiB MiB GiB TiB, 3 to 4 digits ("3.10", "19.93", "972", "972.4"); bytes are whole.
Quantity bytes(std::int64_t bytes);
Quantity bytes_in(std::int64_t bytes, char unit_letter);  // fixed unit: 'B' 'K' 'M' 'G' 'T'
Quantity duration_ns(double nanoseconds);                 // ns µs ms s, 3 to 4 digits
inline Quantity duration_ms(double milliseconds) {
  return duration_ns(milliseconds * 1e6);
}
// "114.7" "k tokens/s". A symbol takes the prefix without a space: rate(2e12, "FLOP") is "2.00"
// "TFLOP/s"; a unit that begins with a small letter is a word.
Quantity rate(double per_second, const char* what);
std::string grouped(std::int64_t number);  // 12,345
// "1 step", "1,234 steps"; the name is in the singular.
std::string counted(std::int64_t number, const char* name);
// The same for a whole number of another type.
template <std::integral Number>
std::string grouped(Number number) {
  return grouped(static_cast<std::int64_t>(number));
}
template <std::integral Number>
std::string counted(Number number, const char* name) {
  return counted(static_cast<std::int64_t>(number), name);
}
std::string decimal(double value, int digits);  // 1,234.50
std::string fixed(double value, int digits);    // 1234.50, for files
std::string plain(double value);                // shortest that parses back exactly: 0.0003, 3e-05
std::string hexadecimal(std::uint64_t number);  // 0x7f3a
std::string percent(double value, int digits);  // signed: "−0.4", "+1.2", "0.0"; no unit

}  // namespace ts::text
