#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

#include "core/blocks/stack_parts.h"
#include "core/text/numbers.h"
#include "core/text/text.h"

namespace ts::views {

// Frames of a stack that are shown beside the mouse.
inline constexpr std::size_t kMostHoverFrames = 8;

// "and 31 more frames"; empty where all are shown.
inline std::string folded_words(const text::Texts& texts, const blocks::FoldedStack& stack) {
  if (stack.folded == 0) return {};
  const auto count = static_cast<std::int64_t>(stack.folded);
  return texts("memory.frames_folded", {{"count", text::grouped(count)}});
}

}  // namespace ts::views
