#include "views/common/ui.h"

#include <imgui.h>
#include <imgui_internal.h>

#include <algorithm>
#include <cfloat>
#include <cmath>
#include <vector>

#include "views/common/wrapping.h"

namespace ts::views {

void apply_style(const Theme& theme, Metrics metrics) {
  ImGuiStyle& style = ImGui::GetStyle();
  style = ImGuiStyle();
  style.FontSizeBase = text_pixels(TextStyle::body, metrics.scale);
  // Dear ImGui restores the old font size at the end of the current frame. Without this line,
  // menus, fields and window titles would keep their first size.
  style._NextFrameFontSizeBase = style.FontSizeBase;
  style.WindowPadding = {0, 0};
  style.WindowRounding = 0;
  style.WindowBorderSize = 0;
  style.PopupRounding = metrics.px(4);
  style.PopupBorderSize = 1;
  style.ChildBorderSize = 0;
  style.FrameRounding = metrics.px(3);
  style.FramePadding = {metrics.px(8), metrics.px(6)};
  style.ItemSpacing = {metrics.px(8), metrics.px(6)};
  style.ScrollbarSize = metrics.px(10);
  style.ScrollbarRounding = metrics.px(5);
  style.GrabRounding = metrics.px(3);
  style.DockingSeparatorSize = 1;
  style.TabRounding = 0;
  style.TabBarBorderSize = 0;
  style.WindowMinSize = {metrics.px(80), metrics.px(40)};
  style.DisabledAlpha = 0.65F;  // its text is still readable

  const auto set = [&style](ImGuiCol slot, Color color) {
    style.Colors[slot] = ImGui::ColorConvertU32ToFloat4(color);
  };
  const Color clear = with_alpha(theme.surface, 0);
  set(ImGuiCol_Text, theme.text);
  set(ImGuiCol_TextDisabled, theme.text3);
  set(ImGuiCol_WindowBg, theme.surface);
  set(ImGuiCol_ChildBg, clear);
  set(ImGuiCol_PopupBg, theme.surface2);
  set(ImGuiCol_Border, theme.line);
  set(ImGuiCol_FrameBg, theme.surface2);
  set(ImGuiCol_FrameBgHovered, theme.surface3);
  set(ImGuiCol_FrameBgActive, theme.surface3);
  set(ImGuiCol_TitleBg, theme.surface);
  set(ImGuiCol_TitleBgActive, theme.surface);
  set(ImGuiCol_MenuBarBg, theme.surface);
  set(ImGuiCol_ScrollbarBg, clear);
  set(ImGuiCol_ScrollbarGrab, theme.surface3);
  set(ImGuiCol_ScrollbarGrabHovered, theme.text3);
  set(ImGuiCol_ScrollbarGrabActive, theme.text3);
  set(ImGuiCol_CheckMark, theme.accent);
  set(ImGuiCol_SliderGrab, theme.text2);
  set(ImGuiCol_SliderGrabActive, theme.accent);
  // Our buttons draw themselves. These colours remain for the corner that drags a docked panel. It
  // is visible only under the mouse.
  set(ImGuiCol_Button, clear);
  set(ImGuiCol_ButtonHovered, theme.surface3);
  set(ImGuiCol_ButtonActive, clear);
  set(ImGuiCol_Header, theme.surface3);
  set(ImGuiCol_HeaderHovered, theme.surface3);
  set(ImGuiCol_HeaderActive, theme.surface3);
  set(ImGuiCol_Separator, theme.line);
  set(ImGuiCol_SeparatorHovered, theme.accent);
  set(ImGuiCol_SeparatorActive, theme.accent);
  set(ImGuiCol_ResizeGrip, clear);
  set(ImGuiCol_ResizeGripHovered, theme.surface3);
  set(ImGuiCol_ResizeGripActive, theme.accent);
  set(ImGuiCol_Tab, theme.surface);
  set(ImGuiCol_TabHovered, theme.surface3);
  set(ImGuiCol_TabSelected, theme.surface2);
  set(ImGuiCol_TabSelectedOverline, theme.accent);
  set(ImGuiCol_TabDimmed, theme.surface);
  set(ImGuiCol_TabDimmedSelected, theme.surface2);
  set(ImGuiCol_TabDimmedSelectedOverline, theme.line);
  set(ImGuiCol_DockingPreview, with_alpha(theme.accent, 0.4F));
  set(ImGuiCol_DockingEmptyBg, theme.bg);
  set(ImGuiCol_TextSelectedBg, with_alpha(theme.accent, 0.35F));
  set(ImGuiCol_NavCursor, theme.accent);
  set(ImGuiCol_ModalWindowDimBg, with_alpha(theme.bg, 0.6F));
}

TableColors::TableColors(const Ui& ui) {
  ImGui::PushStyleVar(ImGuiStyleVar_CellPadding, ImVec2(ui.px(8), ui.px(3)));
  ImGui::PushStyleColor(ImGuiCol_TableHeaderBg, ui.theme.surface2);
  ImGui::PushStyleColor(ImGuiCol_TableRowBgAlt, with_alpha(ui.theme.surface2, 0.5F));
  ImGui::PushStyleColor(ImGuiCol_TableBorderLight, ui.theme.line);
  ImGui::PushStyleColor(ImGuiCol_TableBorderStrong, ui.theme.line);
}

TableColors::~TableColors() {
  ImGui::PopStyleColor(4);
  ImGui::PopStyleVar();
}

FontScope::FontScope(const Ui& ui, TextStyle style) {
  ImGui::PushFont(ui.faces.face(style), text_pixels(style, ui.metrics.scale));
}

FontScope::~FontScope() {
  ImGui::PopFont();
}

void text(const Ui& ui, TextStyle style, Color color, std::string_view words) {
  const FontScope font(ui, style);
  ImGui::PushStyleColor(ImGuiCol_Text, color);
  ImGui::TextUnformatted(words.data(), words.data() + words.size());
  ImGui::PopStyleColor();
}

float line_gap(TextStyle style, float scale) {
  return std::round(text_pixels(style, scale) * 0.36F);
}

namespace {

// Splits words into lines of `width`, at least one em, in the current font.
std::vector<std::string_view> lines_at(TextStyle style, float scale, std::string_view words,
                                       float width) {
  ImFont* const font = ImGui::GetFont();
  const float size = text_pixels(style, scale);
  return lines_within(words, std::max(width, size), [font, size](std::string_view part) {
    return font->CalcTextSizeA(size, FLT_MAX, 0, part.data(), part.data() + part.size()).x;
  });
}

// Dear ImGui places the lines of one text one em apart, which is too close to read.
void lines_of_text(const Ui& ui, TextStyle style, Color color, std::string_view words,
                   float width) {
  const FontScope font(ui, style);
  ImGui::PushStyleColor(ImGuiCol_Text, color);
  const ImVec2 spacing = ImGui::GetStyle().ItemSpacing;
  ImGui::PushStyleVar(ImGuiStyleVar_ItemSpacing,
                      ImVec2(spacing.x, line_gap(style, ui.metrics.scale)));
  ImGui::BeginGroup();
  for (const std::string_view line : lines_at(style, ui.metrics.scale, words, width)) {
    ImGui::TextUnformatted(line.data(), line.data() + line.size());
  }
  ImGui::EndGroup();
  ImGui::PopStyleVar();
  ImGui::PopStyleColor();
}

}  // namespace

float wrapped_height(const Ui& ui, TextStyle style, std::string_view words, float width) {
  const FontScope font(ui, style);
  const std::string kept = kept_together(words);
  const auto count = static_cast<float>(lines_at(style, ui.metrics.scale, kept, width).size());
  return count * text_pixels(style, ui.metrics.scale) +
         (count - 1) * line_gap(style, ui.metrics.scale);
}

void wrapped_text(const Ui& ui, TextStyle style, Color color, std::string_view words) {
  constexpr float kMargin = 16;  // at scale 1
  wrapped_text(ui, style, color, words, ui.px(kMargin));
}

void wrapped_text(const Ui& ui, TextStyle style, Color color, std::string_view words,
                  float right_margin) {
  const float width = ImGui::GetWindowWidth() - right_margin - ImGui::GetCursorPosX();
  lines_of_text(ui, style, color, kept_together(words), width);
}

void tooltip(const Ui& ui, std::string_view words) {
  if (words.empty() ||
      !ImGui::IsItemHovered(ImGuiHoveredFlags_ForTooltip | ImGuiHoveredFlags_AllowWhenDisabled)) {
    return;
  }
  ImGui::PushStyleVar(ImGuiStyleVar_WindowPadding, ImVec2(ui.px(10), ui.px(8)));
  if (ImGui::BeginTooltip()) {
    lines_of_text(ui, TextStyle::body, ui.theme.text, kept_together(words), ui.px(400));
    ImGui::EndTooltip();
  }
  ImGui::PopStyleVar();
}

}  // namespace ts::views
