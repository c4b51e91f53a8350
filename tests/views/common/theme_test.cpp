#include "views/common/theme.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "views/common/backend_marks.h"
#include "views/common/exact_bytes.h"
#include "views/common/fonts.h"

namespace ts::views {
namespace {

// Relative luminance and contrast of WCAG 2.2.
double luminance(Color color) {
  const auto channel = [color](int shift) {
    const double value = static_cast<double>((color >> shift) & 0xFFU) / 255;
    return value <= 0.04045 ? value / 12.92 : std::pow((value + 0.055) / 1.055, 2.4);
  };
  return 0.2126 * channel(0) + 0.7152 * channel(8) + 0.0722 * channel(16);
}
double contrast(Color a, Color b) {
  const double high = std::max(luminance(a), luminance(b));
  const double low = std::min(luminance(a), luminance(b));
  return (high + 0.05) / (low + 0.05);
}

class ThemeOf : public testing::TestWithParam<ThemeKind> {
 protected:
  const Theme& colors = theme(GetParam());
};

TEST_P(ThemeOf, text_is_readable_where_it_stands) {
  for (const Color ground : {colors.bg, colors.surface, colors.surface2}) {
    EXPECT_GE(contrast(colors.text, ground), 7);
    EXPECT_GE(contrast(colors.text2, ground), 7);
    EXPECT_GE(contrast(colors.text3, ground), 4.5);
    EXPECT_GE(contrast(colors.accent, ground), 4.5);
    EXPECT_GE(contrast(colors.ok, ground), 4.5);
    EXPECT_GE(contrast(colors.bad, ground), 4.5);
  }
  EXPECT_GE(contrast(colors.text, colors.surface3), 7);
  EXPECT_GE(contrast(colors.on_accent, colors.accent_fill), 4.5);
}

// Slices are muted by design and their text is at least 12 pixels of a medium weight: the 3 of
// large text is the least.
TEST_P(ThemeOf, names_are_readable_on_slices) {
  for (std::size_t i = 0; i < colors.slice.size(); ++i) {
    EXPECT_GE(contrast(colors.slice_text[i], colors.slice[i]), 3) << "slice class " << i;
  }
}

TEST_P(ThemeOf, categories_differ_from_each_other_and_from_what_means_failure) {
  std::set<Color> seen = {colors.bad};
  for (const Color color : colors.category) EXPECT_TRUE(seen.insert(color).second);
}

TEST_P(ThemeOf, backends_have_colours_of_their_own) {
  std::set<Color> seen = {colors.bad};
  for (int i = 0; i < 7; ++i) {
    const Color color = backend_color(GetParam(), static_cast<run::AttentionBackend>(i));
    EXPECT_TRUE(seen.insert(color).second) << "backend " << i;
    EXPECT_GE(contrast(color, colors.surface), 3) << "backend " << i;
  }
}

INSTANTIATE_TEST_SUITE_P(Themes, ThemeOf, testing::Values(ThemeKind::dark, ThemeKind::light));

TEST(Theme, colours_are_packed_as_dear_imgui_has_them) {
  EXPECT_EQ(theme(ThemeKind::dark).warn, 0xFF4BD0F2U);  // #F2D04B
  EXPECT_EQ(theme(ThemeKind::light).bg, 0xFFFFFFFFU);
}

TEST(Theme, a_darker_colour_keeps_its_opacity) {
  EXPECT_EQ(darker(0x80646464U), 0x80575757U);
  EXPECT_EQ(with_alpha(0xFF123456U, 0), 0x00123456U);
  EXPECT_EQ(with_alpha(0x00123456U, 1), 0xFF123456U);
}

TEST(Fonts, projector_has_no_text_under_20_pixels) {
  for (int i = 0; i < 6; ++i) {
    const auto style = static_cast<TextStyle>(i);
    EXPECT_GE(text_pixels(style, 1.6F), 20) << "style " << i;
  }
}

TEST(Fonts, sizes_at_scale_1_are_those_of_the_design) {
  EXPECT_EQ(text_pixels(TextStyle::small, 1), 12);
  EXPECT_EQ(text_pixels(TextStyle::mono, 1), 12);
  EXPECT_EQ(text_pixels(TextStyle::body, 1), 14);
  EXPECT_EQ(text_pixels(TextStyle::body_strong, 1), 14);
  EXPECT_EQ(text_pixels(TextStyle::large, 1), 22);
}

TEST(Words, a_unit_stays_with_its_number) {
  const std::string gap = "\u00a0";
  EXPECT_EQ(kept_together("Fits: 3.57 GiB of 24.00 GiB, T = 13312."),
            "Fits: 3.57" + gap + "GiB of 24.00" + gap + "GiB, T" + gap + "=" + gap + "13312.");
  EXPECT_EQ(kept_together("12 ms"), "12" + gap + "ms");
  EXPECT_EQ(kept_together("2 steps, 3 B-trees"), "2 steps, 3 B-trees");
  EXPECT_EQ(kept_together(" 1 "), " 1 ");
}

TEST(Words, what_is_not_nothing_does_not_read_as_nothing) {
  EXPECT_EQ(bytes_in_column(3 << 20, 'M').joined(), "3.00 MiB");
  EXPECT_EQ(bytes_in_column(1000, 'M').joined(), "1,000 B");
  EXPECT_EQ(bytes_in_column(0, 'M').joined(), "0.00 MiB");
}

}  // namespace
}  // namespace ts::views
