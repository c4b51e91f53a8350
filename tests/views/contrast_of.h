#pragma once

#include <algorithm>
#include <cmath>
#include <string>

#include "tests/views/recording_sink.h"
#include "views/common/theme.h"

namespace ts::views::testing {

// The lowest contrast of a text with what was filled under its middle before it, and which one.
struct WorstContrast {
  double contrast = 21;
  std::string text;
};

inline Color over(Color ground, Color color) {
  const float part = static_cast<float>(color >> 24U) / 255.0F;
  const auto channel = [&](unsigned shift) {
    const auto below = static_cast<float>((ground >> shift) & 0xFFU);
    const auto above = static_cast<float>((color >> shift) & 0xFFU);
    return static_cast<Color>(std::lround(std::lerp(below, above, part))) << shift;
  };
  return channel(0) | channel(8) | channel(16) | 0xFF000000U;
}

inline WorstContrast worst_contrast(const RecordingSink& sink, Color background) {
  WorstContrast worst;
  for (std::size_t i = 0; i < sink.calls.size(); ++i) {
    const RecordingSink::Call& words = sink.calls[i];
    if (words.kind != RecordingSink::Kind::text || words.text.empty()) continue;
    const Point middle{(words.bounds.x0 + words.bounds.x1) / 2,
                       (words.bounds.y0 + words.bounds.y1) / 2};
    Color ground = background;
    for (std::size_t j = 0; j < i; ++j) {
      const RecordingSink::Call& below = sink.calls[j];
      if (below.kind == RecordingSink::Kind::fill && below.seen().contains(middle))
        ground = over(ground, below.color);
    }
    const double one = contrast(over(ground, words.color), ground);
    if (one < worst.contrast) worst = {one, words.text};
  }
  return worst;
}

}  // namespace ts::views::testing
