#include "views/memory/segments.h"

#include <algorithm>
#include <cmath>

#include "views/charts/chart_text.h"

namespace ts::views {
namespace {

constexpr float kCellPadding = 9;
constexpr float kHeight = 24;
constexpr float kTrack = 72;

Rect field(Metrics metrics, const Rect& item) {
  const float height = std::min(std::round(metrics.px(kHeight)), item.height());
  const float y = std::round((item.y0 + item.y1 - height) / 2);
  return {std::round(item.x0), y, std::round(item.x1), y + height};
}

}  // namespace

float segments_width(const DrawSink& sink, Metrics metrics, std::span<const std::string> words) {
  float width = 0;
  for (const std::string& word : words) {
    width += sink.text_width(TextStyle::small, word) + 2 * metrics.px(kCellPadding);
  }
  return std::ceil(width);
}

std::vector<Rect> lay_out_segments(const DrawSink& sink, Metrics metrics, const Rect& item,
                                   std::span<const std::string> words) {
  const Rect all = field(metrics, item);
  std::vector<Rect> parts;
  float x = all.x0;
  for (const std::string& word : words) {
    const float end =
        std::round(x + sink.text_width(TextStyle::small, word) + 2 * metrics.px(kCellPadding));
    parts.push_back({x, all.y0, std::min(end, all.x1), all.y1});
    x = end;
  }
  if (!parts.empty()) parts.back().x1 = all.x1;
  return parts;
}

void draw_segments(DrawSink& sink, const Theme& theme, Metrics metrics, const Rect& item,
                   std::span<const std::string> words, std::size_t chosen) {
  const std::vector<Rect> parts = lay_out_segments(sink, metrics, item, words);
  sink.fill(field(metrics, item), theme.surface2, metrics.px(3));
  for (std::size_t i = 0; i < parts.size(); ++i) {
    const Rect& part = parts[i];
    if (i == chosen) sink.fill(part, theme.surface3, metrics.px(3));
    text_in(sink, {part.x0 + metrics.px(kCellPadding), part.y0, part.x1, part.y1}, TextStyle::small,
            i == chosen ? theme.text : theme.text2, words[i]);
  }
}

Rect slider_track(Metrics metrics, const Rect& item) {
  const Rect all = field(metrics, item);
  return {all.x1 - std::round(metrics.px(kTrack)), all.y0, all.x1, all.y1};
}

void draw_slider(DrawSink& sink, const Theme& theme, Metrics metrics, const Rect& item,
                 std::string_view label, float part) {
  const Rect track = slider_track(metrics, item);
  text_in(sink, {item.x0, item.y0, track.x0 - metrics.px(8), item.y1}, TextStyle::small,
          theme.text2, label);
  const float middle = std::round((track.y0 + track.y1) / 2);
  const float half = std::max(1.0F, std::round(metrics.px(1)));
  const float knob = std::round(metrics.px(6));
  const float x = std::round(track.x0 + std::clamp(part, 0.0F, 1.0F) * (track.width() - knob));
  sink.fill({track.x0, middle - half, track.x1, middle + half}, theme.surface3, half);
  sink.fill({track.x0, middle - half, x, middle + half}, theme.text3, half);
  sink.fill({x, middle - knob, x + knob, middle + knob}, theme.text, metrics.px(2));
}

}  // namespace ts::views
