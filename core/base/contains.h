#pragma once

#include <algorithm>
#include <span>
#include <string_view>

namespace ts::base {

// True for an empty part, too. Without regard to case: contains_letters (letters.h).
constexpr bool contains(std::string_view text, std::string_view part) {
  return text.find(part) != std::string_view::npos;
}

constexpr bool contains_any(std::string_view text, std::span<const std::string_view> parts) {
  return std::ranges::any_of(parts, [&](std::string_view part) { return contains(text, part); });
}

}  // namespace ts::base
