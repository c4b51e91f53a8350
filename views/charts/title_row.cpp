#include "views/charts/title_row.h"

#include <algorithm>
#include <cmath>

#include "views/charts/chart_text.h"

namespace ts::views {
namespace {

constexpr float kSwatch = 9;

float legend_width(const DrawSink& sink, Metrics metrics, const LegendEntry& entry) {
  return metrics.px(kSwatch + 6) + sink.text_width(TextStyle::small, entry.text);
}

constexpr float kGap = 14;
// The room that a legend leaves for the subtitle, in pixels at scale 1 and of what is left of the
// row.
constexpr float kSubtitleRoom = 150;
constexpr float kSubtitleShare = 0.25F;

// Places the entries that fit between both ends. The others have width 0.
std::vector<Rect> place_legend(const DrawSink& sink, Metrics metrics, const Rect& area,
                               std::span<const LegendEntry> legend, LegendSide side) {
  const float gap = metrics.px(kGap);
  std::vector<Rect> places(legend.size());
  std::vector<bool> shown(legend.size(), true);
  const auto width_of_shown = [&] {
    float sum = 0;
    for (std::size_t i = 0; i < legend.size(); ++i)
      if (shown[i]) sum += legend_width(sink, metrics, legend[i]) + gap;
    return sum;
  };
  float needed = width_of_shown();
  for (std::size_t out = 0; out < legend.size() && area.x0 + needed > area.x1; ++out) {
    std::size_t least = legend.size();
    for (std::size_t i = 0; i < legend.size(); ++i)
      if (shown[i] && (least == legend.size() || legend[i].weight <= legend[least].weight))
        least = i;
    shown[least] = false;
    needed = width_of_shown();
  }
  float x = side == LegendSide::left ? area.x0 : area.x1 - needed;
  for (std::size_t i = 0; i < legend.size(); ++i) {
    if (!shown[i]) continue;
    const float width = legend_width(sink, metrics, legend[i]);
    places[i] = {x, area.y0, x + width, area.y1};
    x += width + gap;
  }
  return places;
}

}  // namespace

TitleRow lay_out_title_row(const DrawSink& sink, const Rect& area, Metrics metrics,
                           const std::string& title, const std::string& subtitle,
                           std::span<const LegendEntry> legend, LegendSide side,
                           std::span<const TitleItem> items) {
  const float gap = metrics.px(kGap);
  TitleRow row;
  row.items.resize(items.size());
  const float title_width = std::min(sink.text_width(TextStyle::body_strong, title), area.width());
  row.title = {area.x0, area.y0, area.x0 + title_width, area.y1};

  // Buttons in the order of `keep`, as far as they fit beside the title.
  std::vector<std::size_t> order(items.size());
  for (std::size_t i = 0; i < order.size(); ++i) order[i] = i;
  std::ranges::stable_sort(
      order, [&](std::size_t a, std::size_t b) { return items[a].keep > items[b].keep; });
  float room = area.width() - title_width;
  float legend_needs = metrics.px(16) + metrics.px(kSubtitleRoom);
  for (const LegendEntry& entry : legend) legend_needs += legend_width(sink, metrics, entry) + gap;
  std::vector<bool> kept(items.size(), false);
  for (const std::size_t i : order) {
    if (items[i].width <= 0) continue;
    const float reserved = items[i].keep > 0 ? 0 : legend_needs;
    if (items[i].width + gap + reserved > room) break;
    kept[i] = true;
    room -= items[i].width + gap;
  }
  float right = area.x1;
  for (std::size_t i = items.size(); i-- > 0;) {
    if (!kept[i]) continue;
    row.items[i] = {right - items[i].width, area.y0, right, area.y1};
    right -= items[i].width + gap;
  }

  // The subtitle changes while a run goes on, so it has the room that the legend leaves.
  float left = row.title.x1 + metrics.px(16);
  const float kept_free = std::min(metrics.px(kSubtitleRoom), kSubtitleShare * (right - left));
  const bool first = side == LegendSide::left;
  row.legend = place_legend(
      sink, metrics,
      {first ? left : left + kept_free, area.y0, first ? right - kept_free : right, area.y1},
      legend, side);
  for (const Rect& entry : row.legend) {
    if (entry.width() <= 0) continue;
    if (side == LegendSide::left) left = std::max(left, entry.x1 + gap);
    if (side == LegendSide::right) right = std::min(right, entry.x0 - gap);
  }
  const float width = std::min(sink.text_width(TextStyle::small, subtitle) + 1, right - left);
  if (!subtitle.empty() && width > 0) row.subtitle = {left, area.y0, left + width, area.y1};
  return row;
}

bool lacks_legend(const TitleRow& row, std::span<const LegendEntry> legend) {
  for (std::size_t i = 0; i < legend.size(); ++i) {
    if (legend[i].weight > 0 && row.legend[i].width() <= 0) return true;
  }
  return false;
}

void lay_out_legend_row(const DrawSink& sink, const Rect& area, Metrics metrics,
                        std::span<const LegendEntry> legend, TitleRow& row) {
  row.legend = place_legend(sink, metrics, area, legend, LegendSide::left);
}

void draw_title_row(DrawSink& sink, const TitleRow& row, const Theme& theme, Metrics metrics,
                    const std::string& title, const std::string& subtitle,
                    std::span<const LegendEntry> legend) {
  text_in(sink, row.title, TextStyle::body_strong, theme.text, title);
  if (row.subtitle.width() > 0)
    text_in(sink, row.subtitle, TextStyle::small, theme.text2, subtitle);
  for (std::size_t i = 0; i < legend.size(); ++i) {
    const Rect& box = row.legend[i];
    if (box.width() <= 0) continue;
    const float size = std::round(metrics.px(kSwatch));
    const float y = std::round((box.y0 + box.y1 - size) / 2);
    const Rect swatch{std::round(box.x0), y, std::round(box.x0) + size, y + size};
    sink.fill(swatch, legend[i].color);
    if (legend[i].border != 0) sink.outline(swatch, legend[i].border);
    text_in(sink, {swatch.x1 + metrics.px(6), box.y0, box.x1 + 1, box.y1}, TextStyle::small,
            theme.text2, legend[i].text);
  }
}

}  // namespace ts::views
