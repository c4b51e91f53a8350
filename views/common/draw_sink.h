#pragma once

#include <cstdint>
#include <span>
#include <string_view>

namespace ts::views {

// 0xAABBGGRR, as Dear ImGui packs it.
using Color = std::uint32_t;

struct Point {
  float x = 0;
  float y = 0;
};
struct Rect {
  float x0 = 0, y0 = 0, x1 = 0, y1 = 0;
  [[nodiscard]] float width() const { return x1 - x0; }
  [[nodiscard]] float height() const { return y1 - y0; }
  [[nodiscard]] bool contains(Point p) const {
    return p.x >= x0 && p.x < x1 && p.y >= y0 && p.y < y1;
  }
};

inline bool overlap(const Rect& a, const Rect& b) {
  return a.x0 < b.x1 && b.x0 < a.x1 && a.y0 < b.y1 && b.y0 < a.y1;
}

// Faces and sizes of style.md: small 12, body 14, large 22, mono 12 at scale 1.
enum class TextStyle : std::uint8_t { small, body, body_medium, body_strong, large, mono };

// The drawing target of the charts: an ImDrawList in the window, a recorder in tests. Unit: pixels,
// y points down.
class DrawSink {
 public:
  virtual ~DrawSink() = default;
  virtual void fill(const Rect& rect, Color color, float radius = 0) = 0;
  virtual void outline(const Rect& rect, Color color, float thickness = 1, float radius = 0) = 0;
  virtual void line(Point a, Point b, Color color, float thickness = 1) = 0;
  virtual void polyline(std::span<const Point> points, Color color, float thickness = 1) = 0;
  virtual void triangle(Point a, Point b, Point c, Color color) = 0;
  // Top left corner of the text. Never wraps.
  virtual void text(Point at, TextStyle style, Color color, std::string_view text) = 0;
  [[nodiscard]] virtual float text_width(TextStyle style, std::string_view text) const = 0;
  [[nodiscard]] virtual float text_height(TextStyle style) const = 0;
  virtual void push_clip(const Rect& rect) = 0;
  virtual void pop_clip() = 0;
};

}  // namespace ts::views
