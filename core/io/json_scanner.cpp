#include "core/io/json_scanner.h"

#include <emmintrin.h>

#include <bit>
#include <charconv>
#include <cstdint>

namespace ts::io {
namespace {

// The first byte from `at` on that is one of the two; `end` if there is none. Reads up to kPadding
// bytes after the end.
const char* find_either(const char* at, const char* end, char first, char second) {
  const __m128i one = _mm_set1_epi8(first);
  const __m128i other = _mm_set1_epi8(second);
  for (; at < end; at += sizeof(__m128i)) {
    const __m128i bytes = _mm_loadu_si128(reinterpret_cast<const __m128i*>(at));
    const __m128i found = _mm_or_si128(_mm_cmpeq_epi8(bytes, one), _mm_cmpeq_epi8(bytes, other));
    const auto mask = static_cast<unsigned>(_mm_movemask_epi8(found));
    if (mask == 0) continue;
    at += std::countr_zero(mask);
    return at < end ? at : end;
  }
  return end;
}

// The same for structural characters: " [ ] { }. With bit 5 set, a bracket becomes a brace.
const char* find_structure(const char* at, const char* end) {
  const __m128i quote = _mm_set1_epi8('"');
  const __m128i opening = _mm_set1_epi8('{');
  const __m128i closing = _mm_set1_epi8('}');
  const __m128i bit = _mm_set1_epi8(0x20);
  for (; at < end; at += sizeof(__m128i)) {
    const __m128i bytes = _mm_loadu_si128(reinterpret_cast<const __m128i*>(at));
    const __m128i lower = _mm_or_si128(bytes, bit);
    const __m128i found =
        _mm_or_si128(_mm_cmpeq_epi8(bytes, quote),
                     _mm_or_si128(_mm_cmpeq_epi8(lower, opening), _mm_cmpeq_epi8(lower, closing)));
    const auto mask = static_cast<unsigned>(_mm_movemask_epi8(found));
    if (mask == 0) continue;
    at += std::countr_zero(mask);
    return at < end ? at : end;
  }
  return end;
}

bool ends_scalar(char c) {
  return c == ',' || c == ']' || c == '}' || c == ' ' || c == '\n' || c == '\r' || c == '\t' ||
         c == '"' || c == '{' || c == '[' || c == ':';
}

void append_utf8(std::string& out, std::uint32_t code) {
  const auto byte = [&out](std::uint32_t value) { out += static_cast<char>(value); };
  if (code < 0x80) {
    byte(code);
  } else if (code < 0x800) {
    byte(0xC0 | code >> 6U);
    byte(0x80 | (code & 0x3FU));
  } else if (code < 0x10000) {
    byte(0xE0 | code >> 12U);
    byte(0x80 | (code >> 6U & 0x3FU));
    byte(0x80 | (code & 0x3FU));
  } else {
    byte(0xF0 | code >> 18U);
    byte(0x80 | (code >> 12U & 0x3FU));
    byte(0x80 | (code >> 6U & 0x3FU));
    byte(0x80 | (code & 0x3FU));
  }
}

// Reads the four digits of \uXXXX, which begin at `at`.
bool read_code(std::string_view raw, std::size_t at, std::uint32_t& code) {
  constexpr std::size_t kDigits = 4;
  constexpr int kHexadecimal = 16;
  if (at + kDigits > raw.size()) return false;
  const char* const begin = raw.data() + at;
  const auto [end, error] = std::from_chars(begin, begin + kDigits, code, kHexadecimal);
  return error == std::errc() && end == begin + kDigits;
}

bool is_high(std::uint32_t code) {
  return code >= 0xD800 && code < 0xDC00;
}
bool is_low(std::uint32_t code) {
  return code >= 0xDC00 && code < 0xE000;
}

// Appends the character of the \u escape at `at` and returns the position after it; 0: it is
// broken.
std::size_t append_code(std::string& out, std::string_view raw, std::size_t at) {
  constexpr std::size_t kLength = 6;
  constexpr std::uint32_t kReplacement = 0xFFFD;
  std::uint32_t code = 0;
  if (!read_code(raw, at + 2, code)) return 0;
  at += kLength;
  std::uint32_t low = 0;
  if (is_high(code) && raw.substr(at).starts_with("\\u") && read_code(raw, at + 2, low) &&
      is_low(low)) {
    code = 0x10000 + ((code - 0xD800) << 10U) + (low - 0xDC00);
    at += kLength;
  }
  append_utf8(out, is_high(code) || is_low(code) ? kReplacement : code);
  return at;
}

}  // namespace

bool JsonScanner::string(String& to) {
  if (peek() != '"') return false;
  const char* const begin = at_ + 1;
  to.escaped = false;
  for (const char* at = begin;;) {
    at = find_either(at, end_, '"', '\\');
    if (at == end_) return fail_at_end();
    if (*at == '"') {
      to.raw = {begin, static_cast<std::size_t>(at - begin)};
      at_ = at + 1;
      return true;
    }
    to.escaped = true;
    if (end_ - at < 2) return fail_at_end();
    at += 2;
  }
}

bool JsonScanner::scalar(std::string_view& to) {
  peek();
  const char* at = at_;
  while (at < end_ && !ends_scalar(*at)) ++at;
  // A scalar at the end of the text may be cut off.
  if (at == end_) return fail_at_end();
  if (at == at_) return false;
  to = {at_, static_cast<std::size_t>(at - at_)};
  at_ = at;
  return true;
}

bool JsonScanner::skip() {
  const char next = peek();
  if (next == '"') {
    String ignored;
    return string(ignored);
  }
  if (next == '{' || next == '[') return skip_container();
  std::string_view ignored;
  return scalar(ignored);
}

bool JsonScanner::skip_container() {
  std::size_t depth = 0;
  for (const char* at = at_;;) {
    at = find_structure(at, end_);
    if (at == end_) return fail_at_end();
    if (*at == '"') {
      at_ = at;
      String ignored;
      if (!string(ignored)) return false;
      at = at_;
      continue;
    }
    const bool opens = *at == '{' || *at == '[';
    const bool closes = *at == '}' || *at == ']';
    ++at;
    if (opens) ++depth;
    if (closes && --depth == 0) {
      at_ = at;
      return true;
    }
  }
}

bool JsonScanner::raw(std::string_view& to) {
  peek();
  const char* const begin = at_;
  if (!skip()) return false;
  to = {begin, static_cast<std::size_t>(at_ - begin)};
  return true;
}

std::string_view padded(std::string& text) {
  const std::size_t size = text.size();
  text.append(JsonScanner::kPadding, '\0');
  return {text.data(), size};
}

std::string unescaped(std::string_view raw) {
  constexpr std::string_view kNames = "\"\\/bfnrt";
  constexpr std::string_view kMeanings = "\"\\/\b\f\n\r\t";
  std::string out;
  out.reserve(raw.size());
  for (std::size_t at = 0; at < raw.size();) {
    if (raw[at] != '\\' || at + 1 == raw.size()) {
      out += raw[at++];
      continue;
    }
    if (const std::size_t name = kNames.find(raw[at + 1]); name != std::string_view::npos) {
      out += kMeanings[name];
      at += 2;
    } else if (const std::size_t next = raw[at + 1] == 'u' ? append_code(out, raw, at) : 0;
               next != 0) {
      at = next;
    } else {
      out += raw[at++];
    }
  }
  return out;
}

}  // namespace ts::io
