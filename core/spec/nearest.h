#pragma once

#include <span>
#include <string>
#include <string_view>

namespace ts::spec {

// The candidate that a mistyped word most likely meant: the one at the smallest edit distance (a
// swap of neighbours counts one, letter case nothing), as long as fewer than half of its letters
// differ. Empty when none is near.
std::string_view nearest(std::string_view word, std::span<const std::string_view> candidates);

// "a, b or c" for sentences.
std::string listed(std::span<const std::string_view> words);

}  // namespace ts::spec
