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
  std::array<Color, trace::kSliceClassCount> slice_text;  // readable on the one above
};
const Theme& theme(ThemeKind kind);

// Of 0xRRGGBB, opaque.
constexpr Color rgb(std::uint32_t hex) {
  return 0xFF000000U | ((hex & 0xFFU) << 16) | (hex & 0xFF00U) | (hex >> 16);
}
// Of two opaque colours, from 1 to 21 (WCAG 2.2); text that matters has kReadable at least.
inline constexpr double kReadable = 4.5;
double contrast(Color a, Color b);
// `wanted`, as far towards black or white as it takes to be read on `ground`.
Color readable(Color wanted, Color ground);
// The name of a control, which may be one that cannot be used now.
Color label_color(const Theme& theme, bool usable);
// Memory that is freed but still in use by a stream: unlike free memory and every category.
Color free_pending_color(const Theme& theme);

// 13 % darker: every second layer of one category.
Color darker(Color color);
Color with_alpha(Color color, float alpha);

// Lengths of the design in pixels, at a scale. Chinese and Latin share them.
struct Metrics {
  float scale = 1;
  [[nodiscard]] float px(float at_scale_1) const { return at_scale_1 * scale; }
};

}  // namespace ts::views
