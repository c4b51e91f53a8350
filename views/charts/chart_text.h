#pragma once

#include <string>
#include <string_view>

#include "views/common/draw_sink.h"
#include "views/common/theme.h"

namespace ts::views {

// The text if it fits into `width` pixels, else its longest beginning of at least four letters with
// an ellipsis that fits, else nothing: text is dropped, not squeezed. Cuts between code points.
std::string fitted(const DrawSink& sink, TextStyle style, std::string_view text, float width);

// Draws fitted() text; vertically in the middle of `box`, from its left edge on.
void text_in(DrawSink& sink, const Rect& box, TextStyle style, Color color, std::string_view text);
// The same from the right edge back.
void text_right(DrawSink& sink, const Rect& box, TextStyle style, Color color,
                std::string_view text);

// A small filled label that keeps inside `bounds`: its middle at `at` as far as possible.
Rect place_plate(const DrawSink& sink, Metrics metrics, TextStyle style, std::string_view text,
                 Point at, const Rect& bounds);
void draw_plate(DrawSink& sink, const Theme& theme, Metrics metrics, const Rect& plate,
                TextStyle style, Color color, std::string_view text);

// Colour between two: part 0 is `from`, 1 is `to`.
Color mixed(Color from, Color to, float part);

}  // namespace ts::views
