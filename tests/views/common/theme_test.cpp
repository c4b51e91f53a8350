#include "views/common/theme.h"

#include <gtest/gtest.h>
#include <imgui.h>
#include <imgui_internal.h>

#include <algorithm>
#include <cmath>
#include <set>
#include <string>

#include "core/base/file_map.h"
#include "tests/views/common/imgui_driver.h"
#include "views/common/backend_marks.h"
#include "views/common/exact_bytes.h"
#include "views/common/fonts.h"
#include "views/common/ui.h"
#include "views/common/wrapping.h"

namespace ts::views {
namespace {

class ThemeOf : public ::testing::TestWithParam<ThemeKind> {
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
    EXPECT_GE(contrast(colors.warn, ground), 4.5);
    EXPECT_GE(contrast(label_color(colors, false), ground), 4.5) << "what cannot be used";
  }
  EXPECT_GE(contrast(colors.text, colors.surface3), 7);
  EXPECT_GE(contrast(colors.on_accent, colors.accent_fill), 4.5);
}

TEST_P(ThemeOf, names_are_readable_on_slices) {
  for (std::size_t i = 0; i < colors.slice.size(); ++i) {
    EXPECT_GE(contrast(colors.slice_text[i], colors.slice[i]), 4.5) << "slice class " << i;
  }
}

TEST_P(ThemeOf, any_colour_becomes_readable_on_any_ground) {
  for (Color ground = 0; ground < 0x1000000U; ground += 0x0A0B0DU) {
    for (const Color wanted : {colors.text3, colors.ok, colors.warn, colors.category[5]}) {
      EXPECT_GE(contrast(readable(wanted, ground | 0xFF000000U), ground | 0xFF000000U), 4.5);
    }
  }
  EXPECT_EQ(readable(colors.text, colors.surface), colors.text) << "is already";
}

// Block by block in the map of segments: free memory, memory that is being freed, every category.
TEST_P(ThemeOf, freed_memory_in_use_is_told_from_every_block) {
  const auto distance = [](Color a, Color b) {
    double sum = 0;
    for (const int shift : {0, 8, 16}) {
      const double apart =
          static_cast<double>((a >> shift) & 0xFFU) - static_cast<double>((b >> shift) & 0xFFU);
      sum += apart * apart;
    }
    return std::sqrt(sum);
  };
  for (const Color category : colors.category) {
    EXPECT_GT(distance(free_pending_color(colors), category), 80);
  }
  EXPECT_GT(distance(free_pending_color(colors), colors.surface3), 80) << "free";
}

TEST_P(ThemeOf, categories_differ_from_each_other_and_from_what_means_failure) {
  std::set<Color> seen = {colors.bad};
  for (const Color color : colors.category) EXPECT_TRUE(seen.insert(color).second);
}

TEST_P(ThemeOf, backends_have_colours_of_their_own) {
  std::set<Color> seen = {colors.bad};
  for (int i = 0; i < 7; ++i) {
    const Color color = backend_color(GetParam(), static_cast<spec::AttentionBackend>(i));
    EXPECT_TRUE(seen.insert(color).second) << "backend " << i;
    EXPECT_GE(contrast(color, colors.surface), 3) << "backend " << i;
  }
}

INSTANTIATE_TEST_SUITE_P(Themes, ThemeOf, ::testing::Values(ThemeKind::dark, ThemeKind::light));

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

// The height of a letter in the atlas at a style and scale, in pixels.
float drawn_height(ImFont* font, TextStyle style, float scale, ImWchar letter) {
  const ImFontGlyph* const glyph =
      font->GetFontBaked(text_pixels(style, scale))->FindGlyphNoFallback(letter);
  return glyph == nullptr ? 0 : glyph->Y1 - glyph->Y0;
}

TEST(Fonts, a_size_is_that_of_the_em) {
  testing::ImGuiDriver imgui;
  Fonts fonts;
  ASSERT_TRUE(fonts.missing().empty());
  const Fonts::Faces faces = fonts.add_to(*ImGui::GetIO().Fonts, text::Language::zh_cn);
  imgui.frame([&] {
    for (const float scale : {1.F, 1.6F, 2.F}) {
      for (int i = 0; i < 6; ++i) {
        SCOPED_TRACE(::testing::Message() << "style " << i << ", scale " << scale);
        const auto style = static_cast<TextStyle>(i);
        const float em = text_pixels(style, scale);
        // Capitals of Inter and JetBrains Mono are 0.727 and 0.73 em; their outline is drawn on
        // whole pixels.
        EXPECT_NEAR(drawn_height(faces.face(style), style, scale, 'H'), 0.728F * em, 1.3F);
        EXPECT_NEAR(drawn_height(faces.face(style), style, scale, 0x56FD), 0.9F * em, 2);
        EXPECT_NEAR(drawn_height(faces.face(style), style, scale, 0xF0C5), 0.95F * em, 2);
        const ImFontGlyph* const capital =
            faces.face(style)->GetFontBaked(em)->FindGlyphNoFallback('H');
        ASSERT_NE(capital, nullptr);
        EXPECT_NEAR((capital->Y0 + capital->Y1) / 2, em / 2, 1 + 0.05F * em)
            << "not in the middle of a row";
      }
    }
  });
}

TEST(Fonts, projector_digits_are_those_of_20_pixels) {
  testing::ImGuiDriver imgui;
  Fonts fonts;
  const Fonts::Faces faces = fonts.add_to(*ImGui::GetIO().Fonts, text::Language::en);
  imgui.frame([&] {
    for (int i = 0; i < 6; ++i) {
      const auto style = static_cast<TextStyle>(i);
      EXPECT_GE(drawn_height(faces.face(style), style, 1.6F, 'H'), 14) << "style " << i;
    }
  });
}

// Parts that Dear ImGui draws itself, as menus, fields and window titles, are as large as all the
// rest: from the frame after the scale was changed, and as long as it stays.
TEST(Fonts, menus_and_fields_follow_the_scale) {
  testing::ImGuiDriver imgui;
  Fonts fonts;
  static_cast<void>(fonts.add_to(*ImGui::GetIO().Fonts, text::Language::en));
  for (const float scale : {1.F, 2.F, 1.6F}) {
    const auto styled = [scale] { apply_style(theme(ThemeKind::dark), {scale}); };
    imgui.frame(styled);
    for (int i = 0; i < 3; ++i) {
      imgui.frame([&] {
        EXPECT_EQ(ImGui::GetFontSize(), text_pixels(TextStyle::body, scale)) << scale;
        styled();
      });
    }
  }
}

TEST(Fonts, digits_have_one_width) {
  testing::ImGuiDriver imgui;
  Fonts fonts;
  const Fonts::Faces faces = fonts.add_to(*ImGui::GetIO().Fonts, text::Language::en);
  imgui.frame([&] {
    for (int i = 0; i < 6; ++i) {
      const auto style = static_cast<TextStyle>(i);
      ImFontBaked* const baked = faces.face(style)->GetFontBaked(text_pixels(style, 1));
      // The next glyph that is loaded may move those there are.
      const float width = baked->GetCharAdvance('0');
      ASSERT_NE(baked->FindGlyphNoFallback('0'), nullptr);
      for (ImWchar digit = '1'; digit <= '9'; ++digit) {
        EXPECT_EQ(baked->GetCharAdvance(digit), width) << "style " << i;
        const ImFontGlyph* const glyph = baked->FindGlyphNoFallback(digit);
        ASSERT_NE(glyph, nullptr);
        EXPECT_GE(glyph->X0, -1) << digit;
        EXPECT_LE(glyph->X1, width + 1.5F) << digit;
      }
    }
  });
}

TEST(Fonts, a_cut_off_font_has_no_line) {
  EXPECT_FALSE(line_per_em({}, 0));
  EXPECT_FALSE(line_per_em({"ttcf\0\1\0\0\0\0\0\1", 12}, 0));
  const base::FileMap inter("/usr/share/fonts/opentype/inter/Inter-Regular.otf");
  ASSERT_FALSE(inter.all().empty());
  EXPECT_NEAR(line_per_em(inter.all(), 0).value_or(0), 1.21F, 0.005F);
  for (const std::size_t size : {4U, 12U, 40U, 200U}) {
    EXPECT_FALSE(line_per_em(inter.all().substr(0, size), 0)) << size;
  }
}

TEST(Words, lines_of_one_text_are_apart) {
  testing::ImGuiDriver imgui;
  Fonts fonts;
  const Fonts::Faces faces = fonts.add_to(*ImGui::GetIO().Fonts, text::Language::en);
  const text::Texts texts({}, {}, {});
  const Ui ui{theme(ThemeKind::dark), {1}, faces, texts};
  imgui.frame([&] {
    ImGui::SetNextWindowSize({250, 400});
    ImGui::Begin("lines");
    wrapped_text(ui, TextStyle::large, ui.theme.text, "one\ntwo\nthree", 0);
    EXPECT_EQ(ImGui::GetItemRectSize().y, 3 * 22 + 2 * line_gap(TextStyle::large, 1));
    wrapped_text(ui, TextStyle::large, ui.theme.text,
                 "A sentence that is by far too long for a line of so small a window", 0);
    EXPECT_GE(ImGui::GetItemRectSize().y, 3 * 22 + 2 * line_gap(TextStyle::large, 1));
    EXPECT_LE(ImGui::GetItemRectMax().x, ImGui::GetWindowPos().x + 250);
    ImGui::End();
  });
}

TEST(Words, a_unit_stays_with_its_number) {
  const std::string gap = "\u00a0";
  EXPECT_EQ(kept_together("Fits: 3.57 GiB of 24.00 GiB, T = 13312."),
            "Fits: 3.57" + gap + "GiB of 24.00" + gap + "GiB, T" + gap + "=" + gap + "13312.");
  EXPECT_EQ(kept_together("12 ms"), "12" + gap + "ms");
  EXPECT_EQ(kept_together("2 steps, 3 B-trees"), "2 steps, 3 B-trees");
  EXPECT_EQ(kept_together(" 1 "), " 1 ");
  // Before a mark of Chinese as before one of English; a measure word is a unit, too.
  EXPECT_EQ(kept_together("需要 452 MiB，共 24.00 GiB。"),
            "需要 452" + gap + "MiB，共 24.00" + gap + "GiB。");
  EXPECT_EQ(kept_together("还剩 3 个"), "还剩 3" + gap + "个");
}

// At no width a line ends between a number and its unit, nor begins with a mark.
TEST(Words, no_line_ends_between_a_number_and_its_unit) {
  testing::ImGuiDriver imgui;
  Fonts fonts;
  const Fonts::Faces faces = fonts.add_to(*ImGui::GetIO().Fonts, text::Language::zh_cn);
  const text::Texts texts({}, {}, {});
  const Ui ui{theme(ThemeKind::dark), {1}, faces, texts};
  const std::string words =
      "RTX 4090 放得下：需要 452 MiB，共 24.00 GiB，还剩 23.56 GiB。这一句在这里没有空格而且很长 "
      "12 "
      "个点。";
  for (float width = 150; width < 420; width += 3) {
    imgui.frame([&] {
      ImGui::SetNextWindowSize({width, 400});
      ImGui::Begin("lines");
      ImGui::LogToBuffer();
      wrapped_text(ui, TextStyle::large, ui.theme.text, words, 0);
      const std::string shown = ImGui::GetCurrentContext()->LogBuffer.c_str();
      ImGui::LogFinish();
      EXPECT_LE(ImGui::GetItemRectMax().x, ImGui::GetWindowPos().x + width);
      ImGui::End();
      std::size_t lines = 0;
      for (std::size_t end = shown.find('\n'); end != std::string::npos;
           end = shown.find('\n', end + 1)) {
        if (end + 1 >= shown.size() || end == 0) continue;
        const std::string next = shown.substr(end + 1).substr(0, 12);
        const bool digit = shown[end - 1] >= '0' && shown[end - 1] <= '9';
        for (const char* const never : {"MiB", "GiB", "\u00a0", "个", "，", "。", "："}) {
          if (digit || never[0] < 0) {
            EXPECT_FALSE(next.starts_with(never)) << width << ": " << shown;
          }
        }
        ++lines;
      }
      if (width < 300) {
        EXPECT_GE(lines, 3U) << shown;
      }
    });
  }
}

TEST(Words, what_is_not_nothing_does_not_read_as_nothing) {
  EXPECT_EQ(bytes_in_column(3 << 20, 'M').joined(), "3.00 MiB");
  EXPECT_EQ(bytes_in_column(1000, 'M').joined(), "1,000 B");
  EXPECT_EQ(bytes_in_column(0, 'M').joined(), "0.00 MiB");
}

}  // namespace
}  // namespace ts::views
