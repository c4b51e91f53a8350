#include "views/common/theme.h"

#include <algorithm>
#include <cmath>

namespace ts::views {
namespace {

// Relative luminance of WCAG 2.2; opacity does not count.
double luminance(Color color) {
  const auto channel = [color](int shift) {
    const double value = static_cast<double>((color >> shift) & 0xFFU) / 255;
    return value <= 0.04045 ? value / 12.92 : std::pow((value + 0.055) / 1.055, 2.4);
  };
  return 0.2126 * channel(0) + 0.7152 * channel(8) + 0.0722 * channel(16);
}

// Class order: step setup forward loss backward optimizer module matmul softmax elementwise norm
// copy attention other communication.
constexpr Theme kDark{
    .kind = ThemeKind::dark,
    .bg = rgb(0x0E1014),
    .surface = rgb(0x14171C),
    .surface2 = rgb(0x1C2027),
    .surface3 = rgb(0x2A303A),
    .line = rgb(0x282D36),
    .grid = rgb(0x20252D),
    .text = rgb(0xE9ECF1),
    .text2 = rgb(0xAEB6C3),
    .text3 = rgb(0x858E9C),
    .accent = rgb(0x94A3FF),
    .accent_fill = rgb(0x4F63E6),
    .on_accent = rgb(0xFFFFFF),
    .ok = rgb(0x3DBB92),
    .warn = rgb(0xF2D04B),
    .bad = rgb(0xFF7A45),
    .category = {rgb(0x4592D6), rgb(0xCC79A7), rgb(0xE69F00), rgb(0x7CC7F2), rgb(0x2A9C7B),
                 rgb(0xE5D84A), rgb(0x8A919C)},
    .slice = {rgb(0x2A313C), rgb(0x33383F), rgb(0x31415F), rgb(0x5A4B2E), rgb(0x4A3A60),
              rgb(0x3F5236), rgb(0x3A4D6B), rgb(0x4C79A8), rgb(0x927034), rgb(0x6C7686),
              rgb(0x796EA1), rgb(0x467F7C), rgb(0x95668F), rgb(0x565E6B), rgb(0xA2543E)},
    .slice_text = {rgb(0xE9ECF1), rgb(0xE9ECF1), rgb(0xE9ECF1), rgb(0xE9ECF1), rgb(0xE9ECF1),
                   rgb(0xE9ECF1), rgb(0xE9ECF1), rgb(0xFFFFFF), rgb(0xFFFFFF), rgb(0xFFFFFF),
                   rgb(0xFFFFFF), rgb(0xFFFFFF), rgb(0xFFFFFF), rgb(0xFFFFFF), rgb(0xFFFFFF)}};

constexpr Theme kLight{
    .kind = ThemeKind::light,
    .bg = rgb(0xFFFFFF),
    .surface = rgb(0xFFFFFF),
    .surface2 = rgb(0xEEF0F4),
    .surface3 = rgb(0xCDD3DC),
    .line = rgb(0xA9B1BD),
    .grid = rgb(0xDDE1E7),
    .text = rgb(0x07090C),
    .text2 = rgb(0x2C333D),
    .text3 = rgb(0x4A525E),
    .accent = rgb(0x2B3BC0),
    .accent_fill = rgb(0x2B3BC0),
    .on_accent = rgb(0xFFFFFF),
    .ok = rgb(0x00704E),
    .warn = rgb(0x7D6000),
    .bad = rgb(0xB43A00),
    .category = {rgb(0x0072B2), rgb(0xCC79A7), rgb(0xE69F00), rgb(0x56B4E9), rgb(0x009E73),
                 rgb(0xEBDD2E), rgb(0x7C838E)},
    .slice = {rgb(0xDDE2EA), rgb(0xE2E4E8), rgb(0xC9DCF2), rgb(0xF2DFB0), rgb(0xDFD0EC),
              rgb(0xCFE3C4), rgb(0xC3D2E6), rgb(0x2F6FA8), rgb(0xA06B00), rgb(0x6C7686),
              rgb(0x6A5CA8), rgb(0x2B807A), rgb(0x93497F), rgb(0x6F7681), rgb(0xA8442A)},
    .slice_text = {rgb(0x07090C), rgb(0x07090C), rgb(0x07090C), rgb(0x07090C), rgb(0x07090C),
                   rgb(0x07090C), rgb(0x07090C), rgb(0xFFFFFF), rgb(0xFFFFFF), rgb(0xFFFFFF),
                   rgb(0xFFFFFF), rgb(0xFFFFFF), rgb(0xFFFFFF), rgb(0xFFFFFF), rgb(0xFFFFFF)}};

}  // namespace

const Theme& theme(ThemeKind kind) {
  return kind == ThemeKind::dark ? kDark : kLight;
}

Color darker(Color color) {
  const auto channel = [&](int shift) {
    const auto value = static_cast<float>((color >> shift) & 0xFFU);
    return static_cast<Color>(std::lround(value * 0.87F)) << shift;
  };
  return channel(0) | channel(8) | channel(16) | (color & 0xFF000000U);
}

double contrast(Color a, Color b) {
  const double high = std::max(luminance(a), luminance(b));
  const double low = std::min(luminance(a), luminance(b));
  return (high + 0.05) / (low + 0.05);
}

Color readable(Color wanted, Color ground) {
  constexpr Color kBlack = 0xFF000000U, kWhite = 0xFFFFFFFFU;
  const Color end = contrast(kWhite, ground) >= contrast(kBlack, ground) ? kWhite : kBlack;
  constexpr int kSteps = 20;
  for (int i = 0; i < kSteps; ++i) {
    const auto part = static_cast<float>(i) / kSteps;
    const auto channel = [&](int shift) {
      const auto from = static_cast<float>((wanted >> shift) & 0xFFU);
      const auto to = static_cast<float>((end >> shift) & 0xFFU);
      return static_cast<Color>(std::lround(std::lerp(from, to, part))) << shift;
    };
    const Color color = channel(0) | channel(8) | channel(16) | (wanted & 0xFF000000U);
    if (contrast(color, ground) >= kReadable) return color;
  }
  return end;
}

Color label_color(const Theme& theme, bool usable) {
  return usable ? theme.text : theme.text3;
}

Color free_pending_color(const Theme& theme) {
  return theme.text;
}

Color with_alpha(Color color, float alpha) {
  const auto value = static_cast<Color>(std::lround(alpha * 255.0F));
  return (color & 0x00FFFFFFU) | (value << 24);
}

}  // namespace ts::views
