#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "views/common/draw_sink.h"

namespace ts::views {

// Replaces spaces between a number and its unit, and around "=", by no-break spaces.
std::string kept_together(std::string_view words);

// The lines of `words`, broken at `width` and at line feeds, between words or between Chinese
// characters. Spaces at the end of a line are dropped. Returns at least one line. A word longer
// than a line is split, a path after a slash.
std::vector<std::string_view> lines_within(std::string_view words, float width,
                                           const std::function<float(std::string_view)>& measure);

// `words`, or where they are wider than `width` their beginning and end around an ellipsis: names
// in one table often begin alike and end apart. Cuts between code points. Only the ellipsis where
// nothing else fits.
std::string cut_in_the_middle(std::string_view words, float width,
                              const std::function<float(std::string_view)>& measure);

// The lines of the text of a sink. Never breaks before a unit.
std::vector<std::string> wrapped(const DrawSink& sink, TextStyle style, std::string_view words,
                                 float width);

}  // namespace ts::views
