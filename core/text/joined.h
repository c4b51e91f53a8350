#pragma once

#include <functional>
#include <string>
#include <string_view>

namespace ts::text {

// The words of each of a range, with `between` between them: "a, b, c".
template <class Range, class Words = std::identity>
std::string joined(const Range& range, std::string_view between, Words words_of = {}) {
  std::string all;
  for (const auto& one : range) {
    if (!all.empty()) all += between;
    all += std::invoke(words_of, one);
  }
  return all;
}

}  // namespace ts::text
