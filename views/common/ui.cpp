#include "views/common/ui.h"

#include <imgui.h>
#include <imgui_internal.h>

#include <algorithm>
#include <cfloat>
#include <cmath>

namespace ts::views {

void apply_style(const Theme& theme, Metrics metrics) {
  ImGuiStyle& style = ImGui::GetStyle();
  style = ImGuiStyle();
  style.FontSizeBase = text_pixels(TextStyle::body, metrics.scale);
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
  // Our buttons draw themselves. What is left is the corner by which a docked panel is taken hold
  // of: it shows under the mouse only.
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

// The character that begins at `at`; 0 at the end and where there is none.
char32_t character_at(std::string_view words, std::size_t at) {
  if (at >= words.size()) return 0;
  unsigned character = 0;
  ImTextCharFromUtf8(&character, words.data() + at, words.data() + words.size());
  return static_cast<char32_t>(character);
}

// The character that ends before `at`, which is not 0.
char32_t character_before(std::string_view words, std::size_t at) {
  --at;
  while (at > 0 && (static_cast<unsigned char>(words[at]) & 0xC0U) == 0x80U) --at;
  return character_at(words, at);
}

bool is_han(char32_t character) {
  return (character >= 0x3400 && character <= 0x9FFF) ||
         (character >= 0xF900 && character <= 0xFAFF);
}

// Stands for itself between two lines, as letters of Chinese and its marks do.
bool is_wide(char32_t character) {
  return is_han(character) || (character >= 0x3000 && character <= 0x30FF) ||
         (character >= 0xFF00 && character <= 0xFFEF);
}

bool is_one_of(char32_t character, std::u32string_view marks) {
  return marks.find(character) != std::u32string_view::npos;
}

// Whether a line may end between two characters that follow each other.
bool may_break(char32_t before, char32_t after) {
  if (before == ' ') return after != ' ';
  if (after == ' ' || after == 0xA0 || before == 0xA0) return false;
  if (!is_wide(before) && !is_wide(after)) return false;
  constexpr std::u32string_view kNeverFirst =
      U"\u3001\u3002\u300D\u300F\u300B\u3011\uFF01\uFF05\uFF09"
      U"\uFF0C\uFF1A\uFF1B\uFF1F,.;:!?)]%\u2026\u201D";
  constexpr std::u32string_view kNeverLast = U"\u300C\u300E\u300A\u3010\uFF08([\u201C";
  return !is_one_of(after, kNeverFirst) && !is_one_of(before, kNeverLast);
}

// Where the first line ends of words without a line feed: before `width` is full, at least one
// character on. Spaces at the end of a line take no room.
const char* end_of_line(float size, const char* begin, const char* end, float width) {
  ImFont* const font = ImGui::GetFont();
  const std::string_view words(begin, static_cast<std::size_t>(end - begin));
  float used = 0;
  std::size_t at = 0;
  while (at < words.size()) {
    std::size_t next = at;
    do {
      unsigned character = 0;
      next +=
          static_cast<std::size_t>(std::max(1, ImTextCharFromUtf8(&character, begin + next, end)));
    } while (next < words.size() &&
             !may_break(character_before(words, next), character_at(words, next)));
    std::size_t inked = next;
    while (inked > at && words[inked - 1] == ' ') --inked;
    const float part = font->CalcTextSizeA(size, FLT_MAX, 0, begin + at, begin + inked).x;
    if (used + part > width) {
      if (at > 0) return begin + at;
      // A single word that is longer than the line.
      return font->CalcWordWrapPosition(size, begin, begin + next, width);
    }
    used += font->CalcTextSizeA(size, FLT_MAX, 0, begin + at, begin + next).x;
    at = next;
  }
  return end;
}

}  // namespace

std::string kept_together(std::string_view words) {
  constexpr std::string_view kUnits[] = {"B",     "KiB",   "MiB",      "GiB",     "TiB",     "ns",
                                         "µs",    "ms",    "s",        "%",       "k",       "M",
                                         "B/s",   "kB/s",  "MB/s",     "GB/s",    "TB/s",    "FLOP",
                                         "GFLOP", "TFLOP", "MFLOP/s",  "GFLOP/s", "TFLOP/s", "W",
                                         "MHz",   "°C",    "tokens/s", "字节",    "位元組",  "秒"};
  constexpr std::string_view kNoBreak = "\xc2\xa0";
  // Also before a letter of a script that puts no space there: "452 MiB，".
  const auto ends_word = [&](std::size_t at) {
    return at >= words.size() || static_cast<unsigned char>(words[at]) >= 0x80U ||
           std::string_view(" .,;:)").find(words[at]) != std::string_view::npos;
  };
  const auto begins_unit = [&](std::size_t at) {
    return std::ranges::any_of(kUnits, [&](std::string_view unit) {
      return words.substr(at).starts_with(unit) && ends_word(at + unit.size());
    });
  };
  std::string kept;
  for (std::size_t i = 0; i < words.size(); ++i) {
    const bool inside = words[i] == ' ' && i > 0 && i + 1 < words.size();
    const bool equals = inside && (words[i - 1] == '=' || words[i + 1] == '=');
    const bool digit = inside && words[i - 1] >= '0' && words[i - 1] <= '9';
    // What a Chinese number is followed by counts: a measure word or a unit.
    const bool counted = digit && is_han(character_at(words, i + 1));
    if (equals || counted || (digit && begins_unit(i + 1))) {
      kept += kNoBreak;
    } else {
      kept += words[i];
    }
  }
  return kept;
}

namespace {

// Calls `line` with each line of the words, broken where they reach `width`.
template <class Line>
void for_each_line(float size, std::string_view words, float width, Line line) {
  const char* at = words.data();
  const char* const end = at + words.size();
  do {
    const char* const line_end = std::find(at, end, '\n');
    const char* stop = line_end;
    if (at != line_end) stop = end_of_line(size, at, line_end, std::max(width, size));
    const char* inked = stop;
    while (inked > at && inked[-1] == ' ') --inked;
    line(at, inked);
    at = stop;
    while (at != line_end && *at == ' ') ++at;
    if (at == line_end && at != end) ++at;
  } while (at != end);
}

// Dear ImGui sets the lines of one text an em apart, which is too close to read.
void lines_of_text(const Ui& ui, TextStyle style, Color color, std::string_view words,
                   float width) {
  const FontScope font(ui, style);
  ImGui::PushStyleColor(ImGuiCol_Text, color);
  const ImVec2 spacing = ImGui::GetStyle().ItemSpacing;
  ImGui::PushStyleVar(ImGuiStyleVar_ItemSpacing,
                      ImVec2(spacing.x, line_gap(style, ui.metrics.scale)));
  ImGui::BeginGroup();
  for_each_line(text_pixels(style, ui.metrics.scale), words, width,
                [](const char* begin, const char* end) { ImGui::TextUnformatted(begin, end); });
  ImGui::EndGroup();
  ImGui::PopStyleVar();
  ImGui::PopStyleColor();
}

}  // namespace

float wrapped_height(const Ui& ui, TextStyle style, std::string_view words, float width) {
  const FontScope font(ui, style);
  const float size = text_pixels(style, ui.metrics.scale);
  int lines = 0;
  for_each_line(size, kept_together(words), width, [&](const char*, const char*) { ++lines; });
  const auto count = static_cast<float>(lines);
  return count * size + (count - 1) * line_gap(style, ui.metrics.scale);
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
