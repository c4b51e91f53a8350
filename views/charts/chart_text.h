#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "views/common/draw_sink.h"
#include "views/common/theme.h"

namespace ts::views {

// The text if it fits into `width` pixels. Else its longest prefix of at least four letters that
// fits with an ellipsis. Else nothing: text is never squeezed. Cuts between code points.
std::string fitted(const DrawSink& sink, TextStyle style, std::string_view text, float width);

// The same from the other end: the longest suffix, for paths.
std::string fitted_end(const DrawSink& sink, TextStyle style, std::string_view text, float width);

// The first `most` lines of wrapped() text. If there are more, the last one ends in an ellipsis.
std::vector<std::string> wrapped_fitted(const DrawSink& sink, TextStyle style,
                                        std::string_view text, float width, std::size_t most);

// Draws fitted() text at the left edge of `box`, vertically centred.
void text_in(DrawSink& sink, const Rect& box, TextStyle style, Color color, std::string_view text);
// The same at the right edge.
void text_right(DrawSink& sink, const Rect& box, TextStyle style, Color color,
                std::string_view text);

// A small filled label inside `bounds`, its centre as close to `at` as possible.
Rect place_plate(const DrawSink& sink, Metrics metrics, TextStyle style, std::string_view text,
                 Point at, const Rect& bounds);
void draw_plate(DrawSink& sink, const Theme& theme, Metrics metrics, const Rect& plate,
                TextStyle style, Color color, std::string_view text);

// A colour between two: part 0 is `from`, 1 is `to`.
Color mixed(Color from, Color to, float part);

}  // namespace ts::views
