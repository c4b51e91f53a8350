#pragma once

#include <string>

#include "core/text/text.h"
#include "views/common/draw_sink.h"
#include "views/common/theme.h"

namespace ts::views {

// What is drawn in `area` is of other settings than those of now: makes it fainter, and names these
// settings on a plate at the top. Draws nothing for empty settings.
void draw_stale(DrawSink& sink, const Theme& theme, Metrics metrics, const Rect& area,
                const text::Texts& texts, const std::string& settings);

// "Of naive, T = 512".
std::string stale_words(const text::Texts& texts, const std::string& settings);

// Over something that is of other settings; what is drawn later is not covered.
void draw_faded(DrawSink& sink, const Theme& theme, const Rect& area);

}  // namespace ts::views
