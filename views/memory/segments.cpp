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

float segments_width(const DrawSink& sink, Metrics metrics, std::string_view first,
                     std::string_view second) {
  return std::ceil(sink.text_width(TextStyle::small, first) +
                   sink.text_width(TextStyle::small, second) + 4 * metrics.px(kCellPadding));
}

TwoSegments lay_out_segments(const DrawSink& sink, Metrics metrics, const Rect& item,
                             std::string_view first, std::string_view second) {
  const Rect all = field(metrics, item);
  const float split =
      std::round(all.x0 + sink.text_width(TextStyle::small, first) + 2 * metrics.px(kCellPadding));
  static_cast<void>(second);
  return {{all.x0, all.y0, split, all.y1}, {split, all.y0, all.x1, all.y1}};
}

void draw_segments(DrawSink& sink, const Theme& theme, Metrics metrics, const Rect& item,
                   std::string_view first, std::string_view second, bool second_chosen) {
  const TwoSegments parts = lay_out_segments(sink, metrics, item, first, second);
  const Rect all{parts.first.x0, parts.first.y0, parts.second.x1, parts.second.y1};
  sink.fill(all, theme.surface2, metrics.px(3));
  sink.fill(second_chosen ? parts.second : parts.first, theme.surface3, metrics.px(3));
  const auto label = [&](const Rect& part, std::string_view text, bool chosen) {
    text_in(sink, {part.x0 + metrics.px(kCellPadding), part.y0, part.x1, part.y1}, TextStyle::small,
            chosen ? theme.text : theme.text2, text);
  };
  label(parts.first, first, !second_chosen);
  label(parts.second, second, second_chosen);
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
