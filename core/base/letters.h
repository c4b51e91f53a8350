#pragma once

#include <algorithm>
#include <cstddef>
#include <string>
#include <string_view>

// Texts without regard to case or to the space around them. Only those of ASCII have two cases
// here, so UTF-8 stays valid and the locale does not matter.
namespace ts::base {

constexpr char lower(char letter) {
  return letter >= 'A' && letter <= 'Z' ? static_cast<char>(letter - 'A' + 'a') : letter;
}

inline std::string lower(std::string_view text) {
  std::string out(text);
  for (char& letter : out) letter = lower(letter);
  return out;
}

constexpr bool same_letters(std::string_view a, std::string_view b) {
  return std::ranges::equal(
      a, b, {}, [](char c) { return lower(c); }, [](char c) { return lower(c); });
}

// Without the spaces and tabs around it.
constexpr std::string_view trimmed(std::string_view text) {
  const std::size_t begin = text.find_first_not_of(" \t");
  if (begin == std::string_view::npos) return {};
  return text.substr(begin, text.find_last_not_of(" \t") - begin + 1);
}

// True for an empty part, too.
constexpr bool contains_letters(std::string_view text, std::string_view part) {
  const auto same = [](char a, char b) { return lower(a) == lower(b); };
  return std::search(text.begin(), text.end(), part.begin(), part.end(), same) != text.end() ||
         part.empty();
}

}  // namespace ts::base
