#pragma once

#include <cmath>
#include <string>
#include <string_view>
#include <vector>

#include "views/common/draw_sink.h"

namespace ts::views::testing {

// Keeps what is drawn instead of drawing it. Letters are as wide as those of Inter on average;
// those of Chinese are square.
class RecordingSink final : public DrawSink {
 public:
  enum class Kind { fill, outline, line, polyline, triangle, text };
  struct Call {
    Kind kind = Kind::fill;
    Rect bounds;  // as asked for
    Rect clip;    // in force
    Color color = 0;
    TextStyle style = TextStyle::body;
    std::string text;
    std::vector<Point> points;  // of a line or polyline
    // The visible part of it.
    [[nodiscard]] Rect seen() const {
      const float x0 = std::max(bounds.x0, clip.x0);
      const float y0 = std::max(bounds.y0, clip.y0);
      return {x0, y0, std::max(x0, std::min(bounds.x1, clip.x1)),
              std::max(y0, std::min(bounds.y1, clip.y1))};
    }
  };

  explicit RecordingSink(float scale = 1) : scale_(scale) {
    clips_.push_back({-1e9F, -1e9F, 1e9F, 1e9F});
  }

  void fill(const Rect& rect, Color color, float) override { keep(Kind::fill, rect, color); }
  void outline(const Rect& rect, Color color, float, float) override {
    keep(Kind::outline, rect, color);
  }
  void line(Point a, Point b, Color color, float) override {
    keep(Kind::line, around({{a, b}}), color);
    calls.back().points = {a, b};
  }
  void polyline(std::span<const Point> points, Color color, float) override {
    keep(Kind::polyline, around({points.begin(), points.end()}), color);
    calls.back().points.assign(points.begin(), points.end());
  }
  void triangle(Point a, Point b, Point c, Color color) override {
    keep(Kind::triangle, around({a, b, c}), color);
  }
  void text(Point at, TextStyle style, Color color, std::string_view text) override {
    keep(Kind::text, {at.x, at.y, at.x + text_width(style, text), at.y + text_height(style)},
         color);
    calls.back().style = style;
    calls.back().text = std::string(text);
  }
  [[nodiscard]] float text_width(TextStyle style, std::string_view text) const override {
    float units = 0;
    for (const char c : text) {
      const auto byte = static_cast<unsigned char>(c);
      if (byte < 0x80) units += 0.56F;
      if (byte >= 0xC0) units += 1.0F;
    }
    return units * size(style);
  }
  [[nodiscard]] float text_height(TextStyle style) const override {
    return std::round(size(style) * 1.25F);
  }
  void push_clip(const Rect& rect) override {
    const Rect& now = clips_.back();
    clips_.push_back({std::max(rect.x0, now.x0), std::max(rect.y0, now.y0),
                      std::min(rect.x1, now.x1), std::min(rect.y1, now.y1)});
  }
  void pop_clip() override { clips_.pop_back(); }

  [[nodiscard]] std::size_t open_clips() const { return clips_.size() - 1; }
  [[nodiscard]] std::size_t count(Kind kind) const {
    std::size_t sum = 0;
    for (const Call& call : calls) sum += call.kind == kind ? 1 : 0;
    return sum;
  }
  [[nodiscard]] bool says(std::string_view part) const {
    for (const Call& call : calls)
      if (call.kind == Kind::text && call.text.find(part) != std::string::npos) return true;
    return false;
  }

  std::vector<Call> calls;

 private:
  [[nodiscard]] float size(TextStyle style) const {
    const bool small = style == TextStyle::small || style == TextStyle::mono;
    return scale_ * (small ? 12.0F : style == TextStyle::large ? 22.0F : 14.0F);
  }
  static Rect around(const std::vector<Point>& points) {
    Rect rect{1e9F, 1e9F, -1e9F, -1e9F};
    for (const Point& p : points)
      rect = {std::min(rect.x0, p.x), std::min(rect.y0, p.y), std::max(rect.x1, p.x),
              std::max(rect.y1, p.y)};
    return rect;
  }
  void keep(Kind kind, const Rect& bounds, Color color) {
    calls.push_back({kind, bounds, clips_.back(), color, TextStyle::body, {}, {}});
  }

  float scale_;
  std::vector<Rect> clips_;
};

}  // namespace ts::views::testing
