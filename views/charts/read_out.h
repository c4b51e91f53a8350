#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

#include "core/blocks/stack_parts.h"
#include "core/text/numbers.h"
#include "core/text/text.h"
#include "views/common/draw_sink.h"
#include "views/common/theme.h"

namespace ts::views {

// A line of the read-out beside the mouse.
struct ReadOutLine {
  std::string text;
  TextStyle style = TextStyle::small;
  bool strong = false;  // in the colour of values instead of that of labels
};

// The room of a path in the read-out, in pixels: about two fifths of `bounds`, so that most of the
// chart stays in view, and at least that of the widest other line.
float read_out_path_room(const DrawSink& sink, Metrics metrics, const Rect& bounds,
                         std::span<const ReadOutLine> others);

// Draws the read-out inside `bounds`, beside the mouse on the side with room, never under the
// mouse.
void draw_read_out(DrawSink& sink, const Theme& theme, Metrics metrics, Point mouse,
                   const Rect& bounds, std::span<const ReadOutLine> lines);

// Frames of a stack that are shown beside the mouse.
inline constexpr std::size_t kMostHoverFrames = 8;

// "and 31 more frames"; empty where all are shown.
inline std::string folded_text(const text::Texts& texts, const blocks::FoldedStack& stack) {
  if (stack.folded == 0) return {};
  const auto count = static_cast<std::int64_t>(stack.folded);
  return texts("memory.frames_folded", {{"count", text::grouped(count)}});
}

}  // namespace ts::views
