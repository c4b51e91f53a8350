#include "views/charts/chart_text.h"

#include <algorithm>
#include <cmath>

#include "views/common/wrapping.h"

namespace ts::views {
namespace {

constexpr std::string_view kEllipsis = "…";
constexpr std::size_t kLeastLetters = 4;

bool starts_code_point(char c) {
  return (static_cast<unsigned char>(c) & 0xC0U) != 0x80U;
}

float middle(const DrawSink& sink, const Rect& box, TextStyle style) {
  return std::round(box.y0 + (box.height() - sink.text_height(style)) / 2);
}

}  // namespace

std::string fitted(const DrawSink& sink, TextStyle style, std::string_view text, float width) {
  if (text.empty() || width <= 0) return {};
  // Half a pixel of rounding error does not cause a cut.
  if (sink.text_width(style, text) <= width + 0.5F) return std::string(text);
  const float room = width - sink.text_width(style, kEllipsis);
  if (room <= 0) return {};
  std::vector<std::size_t> ends;  // byte offset after each code point
  for (std::size_t i = 1; i <= text.size(); ++i)
    if (i == text.size() || starts_code_point(text[i])) ends.push_back(i);
  std::size_t low = 0;
  std::size_t high = ends.size() - 1;  // the whole text does not fit
  while (low < high) {
    const std::size_t half = (low + high + 1) / 2;
    if (sink.text_width(style, text.substr(0, ends[half - 1])) <= room) {
      low = half;
    } else {
      high = half - 1;
    }
  }
  if (low < kLeastLetters) return {};
  return std::string(text.substr(0, ends[low - 1])) + std::string(kEllipsis);
}

std::vector<std::string> wrapped_fitted(const DrawSink& sink, TextStyle style,
                                        std::string_view text, float width, std::size_t most) {
  std::vector<std::string> lines = wrapped(sink, style, text, width);
  if (lines.size() <= most) return lines;
  std::string rest;
  for (std::size_t i = most - 1; i < lines.size(); ++i)
    rest += (rest.empty() ? "" : " ") + lines[i];
  lines.resize(most);
  lines.back() = fitted(sink, style, rest, width);
  return lines;
}

std::string fitted_end(const DrawSink& sink, TextStyle style, std::string_view text, float width) {
  if (sink.text_width(style, text) <= width + 0.5F) return std::string(text);
  const float room = width - sink.text_width(style, kEllipsis);
  std::size_t low = 0;  // bytes cut off; with `high` bytes the rest fits
  std::size_t high = text.size();
  while (low < high) {
    const std::size_t half = (low + high) / 2;
    if (sink.text_width(style, text.substr(half)) <= room) {
      high = half;
    } else {
      low = half + 1;
    }
  }
  while (high < text.size() && !starts_code_point(text[high])) ++high;
  if (high == text.size()) return {};
  return std::string(kEllipsis) + std::string(text.substr(high));
}

std::string fitted_parts(const DrawSink& sink, TextStyle style, std::string_view text, float width,
                         std::span<const std::string_view> separators) {
  std::string_view shown = text;
  while (!shown.empty() && sink.text_width(style, shown) > width + 0.5F) {
    std::size_t end = 0;
    for (const std::string_view separator : separators) {
      const std::size_t at = shown.rfind(separator);
      if (at != shown.npos) end = std::max(end, at);
    }
    shown = shown.substr(0, end);
  }
  return std::string(shown);
}

std::string fitted_path(const DrawSink& sink, TextStyle style, std::string_view words,
                        float width) {
  const auto fits = [&](std::string_view some) {
    return sink.text_width(style, some) <= width + 0.5F;
  };
  if (fits(words)) return std::string(words);
  constexpr std::string_view kBetween = "  ";
  const std::size_t between = words.rfind(kBetween);
  const std::size_t path_at = between == words.npos ? 0 : between + kBetween.size();
  const std::string function(words.substr(0, path_at));
  const std::string_view path = words.substr(path_at);
  for (std::size_t slash = path.find_first_of("/\\", 1); slash != path.npos;
       slash = path.find_first_of("/\\", slash + 1)) {
    std::string shorter = function + std::string(kEllipsis) + std::string(path.substr(slash));
    if (fits(shorter)) return shorter;
  }
  const std::size_t last = path.find_last_of("/\\");
  const std::string file(last == path.npos ? path : path.substr(last + 1));
  if (fits(function + file)) return function + file;
  const float room = width - sink.text_width(style, std::string(kBetween) + file);
  const std::string name =
      fitted(sink, style, words.substr(0, path_at - std::min(path_at, kBetween.size())), room);
  if (!name.empty()) return name + std::string(kBetween) + file;
  return fitted_end(sink, style, file, width);
}

void text_in(DrawSink& sink, const Rect& box, TextStyle style, Color color, std::string_view text) {
  const std::string shown = fitted(sink, style, text, box.width());
  if (!shown.empty()) sink.text({box.x0, middle(sink, box, style)}, style, color, shown);
}

void text_right(DrawSink& sink, const Rect& box, TextStyle style, Color color,
                std::string_view text) {
  const std::string shown = fitted(sink, style, text, box.width());
  if (shown.empty()) return;
  const float x = box.x1 - sink.text_width(style, shown);
  sink.text({x, middle(sink, box, style)}, style, color, shown);
}

Rect place_plate(const DrawSink& sink, Metrics metrics, TextStyle style, std::string_view text,
                 Point at, const Rect& bounds) {
  const float width = sink.text_width(style, text) + metrics.px(12);
  const float height = sink.text_height(style) + metrics.px(4);
  const float x = std::clamp(at.x - width / 2, bounds.x0, std::max(bounds.x0, bounds.x1 - width));
  const float y = std::clamp(at.y - height / 2, bounds.y0, std::max(bounds.y0, bounds.y1 - height));
  return {std::round(x), std::round(y), std::round(x + width), std::round(y + height)};
}

void draw_plate(DrawSink& sink, const Theme& theme, Metrics metrics, const Rect& plate,
                TextStyle style, Color color, std::string_view text) {
  sink.fill(plate, theme.surface3, metrics.px(3));
  const Rect inside{plate.x0 + metrics.px(5), plate.y0, plate.x1, plate.y1};
  text_in(sink, inside, style, color, text);
}

Color mixed(Color from, Color to, float part) {
  const auto channel = [&](int shift) {
    const auto a = static_cast<float>((from >> shift) & 0xFFU);
    const auto b = static_cast<float>((to >> shift) & 0xFFU);
    return static_cast<Color>(std::lround(a + (b - a) * part)) << shift;
  };
  return channel(0) | channel(8) | channel(16) | channel(24);
}

}  // namespace ts::views
