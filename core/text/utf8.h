#pragma once

#include <cstddef>
#include <string_view>

namespace ts::text {

// Number of bytes of the character at the beginning of `text`, which is not empty; 0: not UTF-8.
// Overlong forms, surrogates and values beyond U+10FFFF are invalid (Unicode 15, table 3-7).
inline std::size_t character_bytes(std::string_view text) {
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
  const unsigned lead = byte(0);
  if (lead < 0x80) return 1;
  const std::size_t count = lead >= 0xF0 ? 4 : lead >= 0xE0 ? 3 : 2;
  if (lead < 0xC2 || lead > 0xF4 || count > text.size()) return 0;
  for (std::size_t i = 1; i < count; ++i) {
    if ((byte(i) & 0xC0U) != 0x80U) return 0;
  }
  const unsigned second = byte(1);
  const bool overlong = (lead == 0xE0 && second < 0xA0) || (lead == 0xF0 && second < 0x90);
  const bool beyond = (lead == 0xED && second >= 0xA0) || (lead == 0xF4 && second >= 0x90);
  return overlong || beyond ? 0 : count;
}

}  // namespace ts::text
