#include "views/common/widgets.h"

#include <gtest/gtest.h>
#include <imgui.h>

#include <algorithm>
#include <map>
#include <string>

#include "tests/views/common/imgui_driver.h"
#include "views/common/fonts.h"
#include "views/common/wrapping.h"

namespace ts::views {
namespace {

TEST(Segmented, a_long_label_has_its_room) {
  testing::ImGuiDriver imgui;
  Fonts fonts;
  const Fonts::Faces faces = fonts.add_to(*ImGui::GetIO().Fonts, text::Language::en);
  const text::Texts texts({}, {}, {});
  const Ui ui{theme(ThemeKind::dark), {1}, faces, texts};
  const Choice unequal[] = {
      {"a", "Table", {}}, {"b", "Flame graph of bytes", {}}, {"c", "All", {}}};
  const Choice equal[] = {{"a", "One", {}}, {"b", "Two", {}}, {"c", "Six", {}}};
  for (const float width : {420.0F, 240.0F}) {
    for (const auto& choices : {unequal, equal}) {
      std::map<std::string, float> label_widths;
      imgui.frame([&] {
        ImGui::SetNextWindowSize({500, 100});
        ImGui::Begin("segments");
        int chosen = 0;
        segmented(ui, "###segments", {choices, 3}, chosen, width);
        for (std::size_t i = 0; i < 3; ++i) {
          const FontScope font(ui, TextStyle::body_medium);
          label_widths[choices[i].id] = ImGui::CalcTextSize(choices[i].label.c_str()).x;
        }
        ImGui::End();
      });
      float end = imgui.rect("###a").Min.x;
      for (std::size_t i = 0; i < 3; ++i) {
        const ImRect rect = imgui.rect("###" + choices[i].id);
        EXPECT_EQ(rect.Min.x, end) << "no gap";
        end = rect.Max.x;
        EXPECT_GE(rect.GetWidth(), label_widths.at(choices[i].id) + 8)
            << choices[i].label << " of " << width;
        if (choices == equal) {
          EXPECT_EQ(rect.GetWidth(), width / 3);
        }
      }
      EXPECT_LE(end, imgui.rect("###a").Min.x + width);
    }
  }
}

// The lowest pixel of what was drawn since `first`.
float bottom_since(int first) {
  float bottom = 0;
  const ImVector<ImDrawVert>& vertices = ImGui::GetWindowDrawList()->VtxBuffer;
  for (int i = first; i < vertices.Size; ++i) bottom = std::max(bottom, vertices[i].pos.y);
  return bottom;
}

TEST(CellText, letters_below_the_line_are_whole_where_words_are_cut) {
  testing::ImGuiDriver imgui;
  Fonts fonts;
  const Fonts::Faces faces = fonts.add_to(*ImGui::GetIO().Fonts, text::Language::en);
  const text::Texts texts({}, {}, {});
  const Ui ui{theme(ThemeKind::dark), {1}, faces, texts};
  for (const float width : {500.0F, 120.0F}) {
    imgui.frame([&] {
      ImGui::SetNextWindowPos({0, 0});
      ImGui::SetNextWindowSize({width, 100});
      ImGui::Begin("cell");
      {
        const FontScope font(ui, TextStyle::body);
        const ImVec2 at = ImGui::GetCursorScreenPos();
        const int first = ImGui::GetWindowDrawList()->VtxBuffer.Size;
        EXPECT_EQ(cell_text("gp_gp_gp_gp_gp_gp_gp_gp_gp"), width < 200);
        const float bottom = bottom_since(first);
        const int second = ImGui::GetWindowDrawList()->VtxBuffer.Size;
        ImGui::GetWindowDrawList()->AddText(at, 0xFFFFFFFF, "gp_");
        EXPECT_EQ(bottom, bottom_since(second));
      }
      ImGui::End();
    });
  }
}

// Names of one table begin alike and end apart; a letter is 1 wide here.
TEST(CutInTheMiddle, beginning_and_end_of_a_name_stay) {
  const auto letters = [](std::string_view words) {
    return static_cast<float>(std::ranges::count_if(
        words, [](char c) { return (static_cast<unsigned char>(c) & 0xC0U) != 0x80U; }));
  };
  EXPECT_EQ(cut_in_the_middle("aten::mm", 8, letters), "aten::mm");
  EXPECT_EQ(cut_in_the_middle("model.decoder.layers.11.self_attn.q_proj", 21, letters),
            "model.de\xe2\x80\xa6_attn.q_proj");
  EXPECT_NE(cut_in_the_middle("model.decoder.layers.11.self_attn.q_proj", 21, letters),
            cut_in_the_middle("model.decoder.layers.11.self_attn.k_proj", 21, letters));
  const std::string han =
      cut_in_the_middle("\xe6\xa8\xa1\xe5\x9e\x8b\xe5\xb1\x82\xe6\xa8\xa1", 3, letters);
  EXPECT_EQ(letters(han), 3) << "whole characters: " << han;
  EXPECT_EQ(cut_in_the_middle("aten::mm", 0, letters), "\xe2\x80\xa6");
}

// A path breaks after its slashes, so that a name of a file stays whole; a letter is 1 wide here.
TEST(LinesWithin, a_path_breaks_at_its_slashes) {
  const auto lines =
      lines_within("forward /usr/lib/torch/nn/transformer.py:123", 18,
                   [](std::string_view words) { return static_cast<float>(words.size()); });
  EXPECT_EQ(lines,
            (std::vector<std::string_view>{"forward", "/usr/lib/torch/nn/", "transformer.py:123"}));
  const auto narrow = lines_within(
      "abcdefgh/ij", 4, [](std::string_view words) { return static_cast<float>(words.size()); });
  EXPECT_EQ(narrow, (std::vector<std::string_view>{"abcd", "efgh", "/ij"}))
      << "a name longer than a line is split as before";
}

}  // namespace
}  // namespace ts::views
