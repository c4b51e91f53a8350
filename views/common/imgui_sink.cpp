#include "views/common/imgui_sink.h"

#include <cmath>

namespace ts::views {
namespace {

ImVec2 to_imgui(Point point) {
  return {point.x, point.y};
}

}  // namespace

void ImGuiSink::fill(const Rect& rect, Color color, float radius) {
  list_->AddRectFilled({rect.x0, rect.y0}, {rect.x1, rect.y1}, color, radius);
}

void ImGuiSink::outline(const Rect& rect, Color color, float thickness, float radius) {
  list_->AddRect({rect.x0, rect.y0}, {rect.x1, rect.y1}, color, radius, thickness);
}

void ImGuiSink::line(Point a, Point b, Color color, float thickness) {
  list_->AddLine(to_imgui(a), to_imgui(b), color, thickness);
}

void ImGuiSink::polyline(std::span<const Point> points, Color color, float thickness) {
  for (const Point& point : points) list_->PathLineTo(to_imgui(point));
  list_->PathStroke(color, thickness);
}

void ImGuiSink::triangle(Point a, Point b, Point c, Color color) {
  list_->AddTriangleFilled(to_imgui(a), to_imgui(b), to_imgui(c), color);
}

void ImGuiSink::text(Point at, TextStyle style, Color color, std::string_view text) {
  if (text.empty()) return;
  list_->AddText(faces_->face(style), text_pixels(style, scale_),
                 {std::round(at.x), std::round(at.y)}, color, text.data(),
                 text.data() + text.size());
}

float ImGuiSink::text_width(TextStyle style, std::string_view text) const {
  if (text.empty()) return 0;
  return faces_->face(style)
      ->CalcTextSizeA(text_pixels(style, scale_), FLT_MAX, 0, text.data(),
                      text.data() + text.size())
      .x;
}

float ImGuiSink::text_height(TextStyle style) const {
  return text_pixels(style, scale_);
}

void ImGuiSink::push_clip(const Rect& rect) {
  list_->PushClipRect({rect.x0, rect.y0}, {rect.x1, rect.y1}, true);
}

void ImGuiSink::pop_clip() {
  list_->PopClipRect();
}

}  // namespace ts::views
