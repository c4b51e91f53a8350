#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "views/common/draw_sink.h"

namespace ts::views {

// With spaces that no line breaks at between a number and its unit, and around "=".
std::string kept_together(std::string_view words);

// The lines of `words`, broken where they reach `width` and at line feeds: between words, and
// between letters of Chinese. Spaces at the end of a line are left out. At least one line; a word
// that is longer than a line is cut.
std::vector<std::string_view> lines_within(std::string_view words, float width,
                                           const std::function<float(std::string_view)>& measure);

// The same as a sink writes them, never broken before a unit.
std::vector<std::string> wrapped(const DrawSink& sink, TextStyle style, std::string_view words,
                                 float width);

}  // namespace ts::views
