#pragma once

#include <string>

#include "views/common/draw_sink.h"

namespace ts::views {

// "#rrggbb", without the opacity.
std::string hexadecimal_color(Color color);

// A DrawSink that writes an SVG document. Text widths come from `measure`, so the layout is the
// same as on the screen. Every text stores its width, so a viewer with other fonts keeps the
// layout.
class SvgSink final : public DrawSink {
 public:
  SvgSink(const DrawSink& measure, float width, float height, Color background);

  void fill(const Rect& rect, Color color, float radius = 0) override;
  void outline(const Rect& rect, Color color, float thickness = 1, float radius = 0) override;
  void line(Point a, Point b, Color color, float thickness = 1) override;
  void polyline(std::span<const Point> points, Color color, float thickness = 1) override;
  void triangle(Point a, Point b, Point c, Color color) override;
  void text(Point at, TextStyle style, Color color, std::string_view text) override;
  [[nodiscard]] float text_width(TextStyle style, std::string_view text) const override;
  [[nodiscard]] float text_height(TextStyle style) const override;
  void push_clip(const Rect& rect) override;
  void pop_clip() override;

  // The whole document. Every clip must have been popped.
  [[nodiscard]] std::string document() const { return content_ + "</svg>\n"; }

 private:
  const DrawSink* measure_;
  std::string content_;
  int clips_ = 0;
};

}  // namespace ts::views
