#include "views/common/svg_sink.h"

#include <fmt/format.h>

#include "core/text/printable.h"

namespace ts::views {

std::string hexadecimal_color(Color color) {
  const auto channel = [color](int shift) { return (color >> shift) & 0xFFU; };
  return fmt::format("#{:02x}{:02x}{:02x}", channel(0), channel(8), channel(16));
}

namespace {

// "#rrggbb", with the opacity as a separate attribute if it is not 1.
std::string paint(const char* attribute, Color color) {
  std::string out = fmt::format("{}=\"{}\"", attribute, hexadecimal_color(color));
  const Color opacity = color >> 24U;
  if (opacity != 0xFFU) out += fmt::format(" {}-opacity=\"{:.3g}\"", attribute, opacity / 255.0);
  return out;
}

std::string number(float value) {
  return fmt::format("{:.5g}", value);
}

const char* weight(TextStyle style) {
  switch (style) {
    case TextStyle::body_medium:
      return "500";
    case TextStyle::body_strong:
    case TextStyle::large:
      return "600";
    default:
      return "400";
  }
}

}  // namespace

SvgSink::SvgSink(const DrawSink& measure, float width, float height, Color background)
    : measure_(&measure) {
  content_ = fmt::format(
      "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{0}\" height=\"{1}\" "
      "viewBox=\"0 0 {0} {1}\">\n",
      number(width), number(height));
  fill({0, 0, width, height}, background);
}

void SvgSink::fill(const Rect& rect, Color color, float radius) {
  content_ += fmt::format("<rect x=\"{}\" y=\"{}\" width=\"{}\" height=\"{}\" {}", number(rect.x0),
                          number(rect.y0), number(rect.width()), number(rect.height()),
                          paint("fill", color));
  if (radius > 0) content_ += fmt::format(" rx=\"{}\"", number(radius));
  content_ += "/>\n";
}

void SvgSink::outline(const Rect& rect, Color color, float thickness, float radius) {
  content_ += fmt::format(
      "<rect x=\"{}\" y=\"{}\" width=\"{}\" height=\"{}\" fill=\"none\" {} stroke-width=\"{}\" "
      "rx=\"{}\"/>\n",
      number(rect.x0), number(rect.y0), number(rect.width()), number(rect.height()),
      paint("stroke", color), number(thickness), number(radius));
}

void SvgSink::line(Point a, Point b, Color color, float thickness) {
  content_ += fmt::format(
      "<line x1=\"{}\" y1=\"{}\" x2=\"{}\" y2=\"{}\" {} stroke-width=\"{}\"/>\n", number(a.x),
      number(a.y), number(b.x), number(b.y), paint("stroke", color), number(thickness));
}

void SvgSink::polyline(std::span<const Point> points, Color color, float thickness) {
  content_ += "<polyline points=\"";
  for (const Point& point : points) content_ += number(point.x) + "," + number(point.y) + " ";
  content_ += fmt::format("\" fill=\"none\" {} stroke-width=\"{}\"/>\n", paint("stroke", color),
                          number(thickness));
}

void SvgSink::triangle(Point a, Point b, Point c, Color color) {
  content_ += fmt::format("<polygon points=\"{},{} {},{} {},{}\" {}/>\n", number(a.x), number(a.y),
                          number(b.x), number(b.y), number(c.x), number(c.y), paint("fill", color));
}

void SvgSink::text(Point at, TextStyle style, Color color, std::string_view text) {
  if (text.empty()) return;
  // The baseline of Inter lies at 0.8 of its line.
  constexpr float kBaseline = 0.8F;
  const float size = text_height(style);
  const char* const family = style == TextStyle::mono ? "JetBrains Mono, monospace"
                                                      : "Inter, Noto Sans CJK SC, sans-serif";
  content_ += fmt::format(
      "<text x=\"{}\" y=\"{}\" font-family=\"{}\" font-size=\"{}\" font-weight=\"{}\" "
      "textLength=\"{}\" {}>{}</text>\n",
      number(at.x), number(at.y + kBaseline * size), family, number(size), weight(style),
      number(text_width(style, text)), paint("fill", color), text::xml_escaped(text));
}

float SvgSink::text_width(TextStyle style, std::string_view text) const {
  return measure_->text_width(style, text);
}

float SvgSink::text_height(TextStyle style) const {
  return measure_->text_height(style);
}

void SvgSink::push_clip(const Rect& rect) {
  ++clips_;
  content_ += fmt::format(
      "<clipPath id=\"clip{0}\"><rect x=\"{1}\" y=\"{2}\" width=\"{3}\" height=\"{4}\"/>"
      "</clipPath><g clip-path=\"url(#clip{0})\">\n",
      clips_, number(rect.x0), number(rect.y0), number(rect.width()), number(rect.height()));
}

void SvgSink::pop_clip() {
  content_ += "</g>\n";
}

}  // namespace ts::views
