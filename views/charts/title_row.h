#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "views/common/draw_sink.h"
#include "views/common/theme.h"

namespace ts::views {

// `weight`: if there is no room for all entries, those with the smallest weight are left out.
struct LegendEntry {
  std::string text;
  Color color = 0;
  Color border = 0;  // 0 none
  std::int64_t weight = 0;
};

// A button or field at the right end of the row. `keep`: without room, the item with the smallest
// value is removed first. The legend is removed before items with a positive `keep` and after the
// others. The title always stays. An item of width 0 does not exist.
struct TitleItem {
  float width = 0;
  std::int32_t keep = 0;
};

// First row of a chart: title, subtitle, legend, buttons. Parts without room have an empty
// rectangle (width 0). Legend and buttons do not move when the subtitle changes; a subtitle with
// too little room ends in an ellipsis. A legend on the left is before the subtitle.
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

// True if the row leaves out an entry with a positive weight.
bool lacks_legend(const TitleRow& row, std::span<const LegendEntry> legend);
// Gives the legend a row of its own below the title row, as far as there is room.
void lay_out_legend_row(const DrawSink& sink, const Rect& area, Metrics metrics,
                        std::span<const LegendEntry> legend, TitleRow& row);

// Draws title, subtitle and legend. The owners of the items draw the items.
void draw_title_row(DrawSink& sink, const TitleRow& row, const Theme& theme, Metrics metrics,
                    const std::string& title, const std::string& subtitle,
                    std::span<const LegendEntry> legend);

}  // namespace ts::views
