#include "views/common/edit_field.h"

#include <imgui.h>
#include <imgui_stdlib.h>

#include <algorithm>
#include <cstring>

#include "views/common/imgui_sink.h"
#include "views/common/widgets.h"

namespace ts::views {

std::optional<std::string> edit_field(const Ui& ui, std::string_view name, const EditSettings& look,
                                      const Rect& rect) {
  const std::string id = "###field_" + std::string(name);
  ImGuiStorage* storage = ImGui::GetStateStorage();
  const ImGuiID typing_key = ImGui::GetID((id + "_typing").c_str());
  static constexpr int kOff = 0;
  static constexpr int kOpening = 1;
  static constexpr int kTyping = 2;
  const int typing = storage->GetInt(typing_key, kOff);
  ImGuiSink sink(*ImGui::GetWindowDrawList(), ui.faces, ui.metrics.scale);
  ImGui::SetCursorScreenPos({rect.x0, rect.y0});
  if (typing != kOff) {
    std::string text = look.edited;
    if (typing == kOpening) ImGui::SetKeyboardFocusHere();
    const FontScope font(ui, TextStyle::body_medium);
    ImGui::SetNextItemWidth(rect.width());
    const bool entered =
        ImGui::InputText(id.c_str(), &text,
                         ImGuiInputTextFlags_EnterReturnsTrue | ImGuiInputTextFlags_AutoSelectAll);
    // A click elsewhere keeps the typed text. Escape restores the old text first.
    const bool kept = ImGui::IsItemDeactivatedAfterEdit();
    if (typing == kOpening && ImGui::IsItemActive()) {
      storage->SetInt(typing_key, kTyping);
    } else if (typing == kTyping && !ImGui::IsItemActive()) {
      storage->SetInt(typing_key, kOff);
    }
    return entered || kept ? std::optional(std::move(text)) : std::nullopt;
  }
  if (press_area(id.c_str(), rect.width(), rect.height())) {
    storage->SetInt(typing_key, kOpening);
  }
  sink.fill(rect, ImGui::IsItemHovered() ? ui.theme.surface3 : ui.theme.surface2, ui.px(3));
  if (!look.problem.empty()) sink.outline(rect, ui.theme.bad, 1, ui.px(3));
  // A long number uses the small face instead of being clipped.
  const float room = rect.width() - ui.px(12);
  const TextStyle style = sink.text_width(TextStyle::body_medium, look.shown) <= room
                              ? TextStyle::body_medium
                              : TextStyle::small;
  sink.text({rect.x1 - ui.px(8) - sink.text_width(style, look.shown),
             (rect.y0 + rect.y1 - sink.text_height(style)) / 2},
            style, label_color(ui.theme, look.fade >= 1), look.shown);
  focus_ring(ui);
  tooltip(ui, look.problem);
  return std::nullopt;
}

}  // namespace ts::views
