#pragma once

#include <array>

#include "core/memory/record.h"
#include "core/trace/slice.h"
#include "views/common/draw_sink.h"

namespace ts::views {

enum class ThemeKind : std::uint8_t { dark, light };

// The colour tokens of the design, dark or light.
struct Theme {
  ThemeKind kind = ThemeKind::dark;
  Color bg, surface, surface2, surface3, line, grid;
  Color text, text2, text3;
  Color accent, accent_fill, on_accent, ok, warn, bad;
  std::array<Color, memory::kCategoryCount> category;
  std::array<Color, trace::kSliceClassCount> slice;
  std::array<Color, trace::kSliceClassCount> slice_text;  // readable on the colour above
};
const Theme& theme(ThemeKind kind);

// An opaque colour from 0xRRGGBB.
constexpr Color rgb(std::uint32_t hex) {
  return 0xFF000000U | ((hex & 0xFFU) << 16) | (hex & 0xFF00U) | (hex >> 16);
}
// Contrast ratio of two opaque colours, from 1 to 21 (WCAG 2.2). Important text has at least
// kReadable.
inline constexpr double kReadable = 4.5;
double contrast(Color a, Color b);
// `wanted`, moved towards black or white until it is readable on `ground`.
Color readable(Color wanted, Color ground);
// The colour of a control's name. `usable`: the control can be used now.
Color label_color(const Theme& theme, bool usable);
// The colour of memory that is freed but still in use by a stream. It differs from free memory and
// from every category.
Color free_pending_color(const Theme& theme);

// 13 % darker, for every second layer of one category.
Color darker(Color color);
Color with_alpha(Color color, float alpha);

// Lengths of the design in pixels at a scale. The same for Chinese and Latin text.
struct Metrics {
  float scale = 1;
  [[nodiscard]] float px(float at_scale_1) const { return at_scale_1 * scale; }
};

}  // namespace ts::views
