#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace ts::text {

// The words of each of a range, with `between` between them: "a, b, c".
template <class Range, class Words = std::identity>
std::string joined(const Range& range, std::string_view between, Words text_of = {}) {
  std::string all;
  for (const auto& one : range) {
    if (!all.empty()) all += between;
    all += std::invoke(text_of, one);
  }
  return all;
}

// The reverse: the text between the separators. An empty text is one empty piece.
inline std::vector<std::string_view> pieces(std::string_view text, char separator) {
  std::vector<std::string_view> all;
  for (;;) {
    const std::size_t end = text.find(separator);
    all.push_back(text.substr(0, end));
    if (end == std::string_view::npos) return all;
    text.remove_prefix(end + 1);
  }
}

// The words between spaces.
inline std::vector<std::string_view> words(std::string_view text) {
  std::vector<std::string_view> all = pieces(text, ' ');
  std::erase(all, "");
  return all;
}

}  // namespace ts::text
