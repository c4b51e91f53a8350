#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "views/common/draw_sink.h"
#include "views/common/theme.h"

namespace ts::views {

// `weight`: where there is no room for all entries those of the least weight are left out.
struct LegendEntry {
  std::string text;
  Color color = 0;
  Color border = 0;  // 0 none
  std::int64_t weight = 0;
};

// A button or field at the right end of the row. `keep`: what has the lowest goes first when there
// is no room. The legend goes before those of a positive `keep` and after the others; the title
// never goes. An item of no width is not there.
struct TitleItem {
  float width = 0;
  std::int32_t keep = 0;
};

// First row of a chart: title, what is shown in words, legend, buttons. Empty rectangles (width 0)
// are parts that had no room.
struct TitleRow {
  Rect title;
  Rect subtitle;
  std::vector<Rect> legend;
  std::vector<Rect> items;
};

enum class LegendSide : std::uint8_t { left, right };

TitleRow lay_out_title_row(const DrawSink& sink, const Rect& area, Metrics metrics,
                           const std::string& title, const std::string& subtitle,
                           std::span<const LegendEntry> legend, LegendSide side,
                           std::span<const TitleItem> items);

// Whether the row leaves out an entry of a positive weight.
bool lacks_legend(const TitleRow& row, std::span<const LegendEntry> legend);
// Gives the legend, as far as there is room, a row of its own below the title's.
void lay_out_legend_row(const DrawSink& sink, const Rect& area, Metrics metrics,
                        std::span<const LegendEntry> legend, TitleRow& row);

// Draws title, subtitle and legend; the items are their owners' business.
void draw_title_row(DrawSink& sink, const TitleRow& row, const Theme& theme, Metrics metrics,
                    const std::string& title, const std::string& subtitle,
                    std::span<const LegendEntry> legend);

}  // namespace ts::views
