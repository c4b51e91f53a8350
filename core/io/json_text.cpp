#include "core/io/json_text.h"

#include <array>
#include <charconv>
#include <cstddef>

namespace ts::io {
namespace {

constexpr std::string_view kReplacement = "\xEF\xBF\xBD";

// The form of a well-formed sequence that begins with `lead` (Unicode 15, table 3-7).
struct Form {
  std::size_t length = 0;  // 0: no sequence begins with it
  unsigned char second_low = 0x80;
  unsigned char second_high = 0xBF;
};

Form form_of(unsigned char lead) {
  if (lead >= 0xC2 && lead <= 0xDF) return {.length = 2};
  if (lead == 0xE0) return {.length = 3, .second_low = 0xA0};
  if (lead == 0xED) return {.length = 3, .second_high = 0x9F};
  if (lead >= 0xE1 && lead <= 0xEF) return {.length = 3};
  if (lead == 0xF0) return {.length = 4, .second_low = 0x90};
  if (lead >= 0xF1 && lead <= 0xF3) return {.length = 4};
  if (lead == 0xF4) return {.length = 4, .second_high = 0x8F};
  return {};
}

// Appends the sequence at the front of `rest`, unchanged or replaced; returns its length in bytes.
std::size_t append_sequence(std::string& out, std::string_view rest) {
  const Form form = form_of(static_cast<unsigned char>(rest.front()));
  std::size_t good = 1;
  while (good < form.length && good < rest.size()) {
    const auto byte = static_cast<unsigned char>(rest[good]);
    const unsigned char low = good == 1 ? form.second_low : 0x80;
    const unsigned char high = good == 1 ? form.second_high : 0xBF;
    if (byte < low || byte > high) break;
    ++good;
  }
  if (form.length != 0 && good == form.length) {
    out += rest.substr(0, good);
  } else {
    out += kReplacement;
  }
  return good;
}

void append_control(std::string& out, char c) {
  switch (c) {
    case '\n':
      out += "\\n";
      return;
    case '\t':
      out += "\\t";
      return;
    case '\r':
      out += "\\r";
      return;
    default:
      constexpr std::string_view kHex = "0123456789abcdef";
      out += "\\u00";
      out += kHex[static_cast<unsigned char>(c) >> 4U];
      out += kHex[static_cast<unsigned char>(c) & 0xFU];
  }
}

}  // namespace

void append_json_string(std::string& out, std::string_view text) {
  constexpr unsigned char kFirstPrintable = 0x20;
  constexpr unsigned char kFirstBeyondAscii = 0x80;
  out += '"';
  for (std::size_t at = 0; at < text.size();) {
    const char c = text[at];
    const auto byte = static_cast<unsigned char>(c);
    if (byte >= kFirstBeyondAscii) {
      at += append_sequence(out, text.substr(at));
      continue;
    }
    if (byte < kFirstPrintable) {
      append_control(out, c);
    } else {
      if (c == '"' || c == '\\') out += '\\';
      out += c;
    }
    ++at;
  }
  out += '"';
}

void append_integer(std::string& out, std::int64_t value) {
  std::array<char, 24> digits{};
  const auto end = std::to_chars(digits.data(), digits.data() + digits.size(), value).ptr;
  out.append(digits.data(), end);
}

void append_microseconds(std::string& out, std::int64_t nanoseconds) {
  constexpr std::uint64_t kNanosecondsInMicrosecond = 1000;
  // Unsigned: the smallest number has no positive counterpart.
  std::uint64_t size = static_cast<std::uint64_t>(nanoseconds);
  if (nanoseconds < 0) {
    out += '-';
    size = 0 - size;
  }
  std::array<char, 24> digits{};
  const auto end =
      std::to_chars(digits.data(), digits.data() + digits.size(), size / kNanosecondsInMicrosecond)
          .ptr;
  out.append(digits.data(), end);
  const auto rest = static_cast<unsigned>(size % kNanosecondsInMicrosecond);
  out += '.';
  out += static_cast<char>('0' + rest / 100);
  out += static_cast<char>('0' + rest / 10 % 10);
  out += static_cast<char>('0' + rest % 10);
}

}  // namespace ts::io
