#include "core/text/printable.h"

#include <fmt/format.h>

#include "core/text/utf8.h"

namespace ts::text {
namespace {

constexpr std::size_t kLongestSentence = 1000;

char32_t code_point(std::string_view character) {
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(character[i]); };
  if (character.size() == 1) return byte(0);
  char32_t code = byte(0) & (0xFFU >> (character.size() + 1));
  for (std::size_t i = 1; i < character.size(); ++i) code = (code << 6) | (byte(i) & 0x3FU);
  return code;
}

bool turns_direction(char32_t code) {
  return code == 0x061C || code == 0x200E || code == 0x200F || (code >= 0x202A && code <= 0x202E) ||
         (code >= 0x2066 && code <= 0x2069);
}

// C0, DEL and C1: the characters that terminals interpret as commands.
bool is_control(char32_t code) {
  return code < 0x20 || (code >= 0x7F && code < 0xA0);
}

}  // namespace

std::string printable(std::string_view sentence) {
  std::string out;
  bool whole = sentence.size() <= kLongestSentence;
  for (std::size_t at = 0; at < sentence.size();) {
    if (!whole && at >= kLongestSentence / 2) {
      whole = true;
      at = sentence.size() - kLongestSentence / 2;
      // Do not start in the middle of a character.
      while (at < sentence.size() && (static_cast<unsigned char>(sentence[at]) & 0xC0U) == 0x80U) {
        ++at;
      }
      out += " ... ";
      continue;
    }
    const std::size_t count = character_bytes(sentence.substr(at));
    if (count == 0) {
      out += fmt::format("\\x{:02X}", static_cast<unsigned char>(sentence[at++]));
      continue;
    }
    const std::string_view character = sentence.substr(at, count);
    const char32_t code = code_point(character);
    if (is_control(code)) {
      out += fmt::format("\\x{:02X}", static_cast<unsigned>(code));
    } else if (turns_direction(code)) {
      out += fmt::format("\\u{:04X}", static_cast<unsigned>(code));
    } else {
      out += character;
    }
    at += count;
  }
  return out;
}

std::string xml_escaped(std::string_view text) {
  std::string out;
  for (const char c : text) {
    switch (c) {
      case '&':
        out += "&amp;";
        break;
      case '<':
        out += "&lt;";
        break;
      case '>':
        out += "&gt;";
        break;
      case '"':
        out += "&quot;";
        break;
      default:
        if (static_cast<unsigned char>(c) >= 0x20 || c == '\n' || c == '\t') out += c;
    }
  }
  return out;
}

std::string shell_quoted(std::string_view text) {
  std::string out = "'";
  for (const char c : text) out += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return out + "'";
}

}  // namespace ts::text
