#pragma once

#include <cstddef>
#include <span>
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

// The text without the last of its parts, as few as possible, so that it is at most `width` wide.
// Empty if even the first part is wider: no part is cut.
std::string fitted_parts(const DrawSink& sink, TextStyle style, std::string_view text, float width,
                         std::span<const std::string_view> separators);

// A frame of a stack, "function  folder/file.py:12". Where it is wider than `width`, the path loses
// its first folders, then the function its end. The file and the line stay.
std::string fitted_path(const DrawSink& sink, TextStyle style, std::string_view words, float width);

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
