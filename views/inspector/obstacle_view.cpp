#include "views/inspector/obstacle_view.h"

#include <imgui.h>

#include <string>

#include "views/common/spec_words.h"
#include "views/common/widgets.h"

namespace ts::views {
namespace {

std::optional<spec::WorkloadSpec> draw_repairs(const Ui& ui, const predict::Outlook& outlook,
                                               float indent) {
  if (outlook.repairs.empty()) return std::nullopt;
  const bool here = !outlook.not_here.sentence.empty();
  const float left = ImGui::GetCursorPosX() + ui.px(indent);
  ImGui::SetCursorPosX(left);
  wrapped_text(ui, TextStyle::small, ui.theme.text2,
               here ? std::string(ui.texts("obstacle.runs_with"))
                    : ui.texts("obstacle.card_runs_with", {{"card", outlook.spec.target_gpu}}),
               ui.px(16));
  ImGui::SetCursorPosX(left);
  const float right = ImGui::GetWindowPos().x + ImGui::GetWindowWidth() - ui.px(16);
  std::optional<spec::WorkloadSpec> tried;
  for (std::size_t i = 0; i < outlook.repairs.size(); ++i) {
    const std::string words = difference_words(ui.texts, outlook.repairs[i], outlook.spec);
    // A button that would not end inside the panel begins a row.
    const float width = ImGui::CalcTextSize(words.c_str()).x + ui.px(40);
    if (i > 0) ImGui::SameLine(0, ui.px(8));
    if (i > 0 && ImGui::GetCursorScreenPos().x + width > right) {
      ImGui::NewLine();
      ImGui::SetCursorPosX(left);
    }
    const std::string id = "###repair_" + std::to_string(i);
    if (button(ui, id.c_str(), "", words, "", ButtonKind::plain)) tried = outlook.repairs[i];
    tooltip(ui, ui.texts("remedy.try"));
  }
  return tried;
}

}  // namespace

std::optional<spec::WorkloadSpec> draw_obstacle(const Ui& ui, const predict::Outlook& outlook) {
  constexpr float kIndent = 26;  // of the verdict's sentence
  const bool only_here = !outlook.not_here.sentence.empty() && outlook.problem.sentence.empty();
  if (only_here) {
    ImGui::Dummy({0, ui.px(6)});
    const ImVec2 at = ImGui::GetCursorPos();
    text(ui, TextStyle::body, ui.theme.warn, "\xef\x81\xb1");  // warning triangle
    ImGui::SetCursorPos({at.x + ui.px(kIndent), at.y - ui.px(5)});
    wrapped_text(ui, TextStyle::large, ui.theme.text, ui.texts("obstacle.not_here"), ui.px(16));
    ImGui::SetCursorPosX(at.x + ui.px(kIndent));
    wrapped_text(ui, TextStyle::body, ui.theme.text, message_words(ui.texts, outlook.not_here),
                 ui.px(16));
    ImGui::SetCursorPosX(at.x);
  }
  return draw_repairs(ui, outlook, kIndent);
}

}  // namespace ts::views
