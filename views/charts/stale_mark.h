#pragma once

#include <string>

#include "core/text/text.h"
#include "views/common/draw_sink.h"
#include "views/common/theme.h"

namespace ts::views {

// Marks the content of `area` as belonging to other settings than the current ones: makes it
// fainter and names the settings on a plate at the top. Draws nothing for empty settings.
void draw_stale(DrawSink& sink, const Theme& theme, Metrics metrics, const Rect& area,
                const text::Texts& texts, const std::string& settings);

// "Of naive, T = 512".
std::string stale_text(const text::Texts& texts, const std::string& settings);

// Fades `area` because it belongs to other settings. Anything drawn later is not covered.
void draw_faded(DrawSink& sink, const Theme& theme, const Rect& area);

}  // namespace ts::views
