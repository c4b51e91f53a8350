#pragma once

#include <span>
#include <string>
#include <string_view>

namespace ts::text {

// The candidate that a mistyped word most likely means: the one at the smallest edit distance (a
// swap of neighbours counts one, letter case is ignored), if fewer than half of its letters differ.
// Empty if no candidate is near.
std::string_view nearest(std::string_view word, std::span<const std::string_view> candidates);

// Joins words for a sentence: "a, b or c".
std::string listed(std::span<const std::string_view> words);

}  // namespace ts::text
