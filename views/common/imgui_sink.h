#pragma once

#include <imgui.h>

#include "views/common/draw_sink.h"
#include "views/common/fonts.h"

namespace ts::views {

// A DrawSink that draws into an ImDrawList. Text is placed on whole pixels to keep it sharp.
class ImGuiSink final : public DrawSink {
 public:
  ImGuiSink(ImDrawList& list, const Fonts::Faces& faces, float scale)
      : list_(&list), faces_(&faces), scale_(scale) {}

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

 private:
  ImDrawList* list_;
  const Fonts::Faces* faces_;
  float scale_;
};

}  // namespace ts::views
