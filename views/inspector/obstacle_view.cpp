#include "views/inspector/obstacle_view.h"

#include <imgui.h>

#include <string>

#include "views/common/imgui_sink.h"
#include "views/common/spec_text.h"
#include "views/common/widgets.h"

namespace ts::views {
namespace {

// The words before the buttons, whose settings this machine, or the card, can run.
std::string repairs_text(const Ui& ui, const predict::Outlook& outlook) {
  const bool here = !outlook.not_here.sentence.empty();
  return here ? std::string(ui.texts("obstacle.runs_with"))
              : ui.texts("obstacle.card_runs_with", {{"card", outlook.spec.target_gpu}});
}

struct Repair {
  std::string words;
  float width = 0;
};
Repair repair_button(const Ui& ui, const predict::Outlook& outlook, std::size_t i) {
  const ImGuiSink sink(*ImGui::GetWindowDrawList(), ui.faces, ui.metrics.scale);
  Repair made;
  made.words = difference_text(ui.texts, outlook.repairs[i], outlook.spec);
  made.width = sink.text_width(TextStyle::body_medium, made.words) + ui.px(24);
  return made;
}

bool draw_repair(const Ui& ui, const Repair& repair, std::size_t i) {
  const std::string id = "###repair_" + std::to_string(i);
  const bool pressed = button(ui, id.c_str(), "", repair.words, "", ButtonKind::plain);
  tooltip(ui, ui.texts("remedy.try"));
  return pressed;
}

std::optional<spec::WorkloadSpec> draw_repairs(const Ui& ui, const predict::Outlook& outlook,
                                               float indent) {
  if (outlook.repairs.empty()) return std::nullopt;
  const float left = ImGui::GetCursorPosX() + ui.px(indent);
  ImGui::SetCursorPosX(left);
  wrapped_text(ui, TextStyle::small, ui.theme.text2, repairs_text(ui, outlook));
  ImGui::SetCursorPosX(left);
  const float right = ImGui::GetWindowPos().x + ImGui::GetWindowWidth() - ui.px(16);
  std::optional<spec::WorkloadSpec> tried;
  for (std::size_t i = 0; i < outlook.repairs.size(); ++i) {
    const Repair repair = repair_button(ui, outlook, i);
    // A button that would end outside the panel begins a new row.
    if (i > 0) ImGui::SameLine(0, ui.px(8));
    if (i > 0 && ImGui::GetCursorScreenPos().x + repair.width > right) {
      ImGui::NewLine();
      ImGui::SetCursorPosX(left);
    }
    if (draw_repair(ui, repair, i)) tried = outlook.repairs[i];
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
    wrapped_text(ui, TextStyle::large, ui.theme.text, ui.texts("obstacle.not_here"));
    ImGui::SetCursorPosX(at.x + ui.px(kIndent));
    wrapped_text(ui, TextStyle::body, ui.theme.text, message_text(ui.texts, outlook.not_here));
    ImGui::SetCursorPosX(at.x);
  }
  return draw_repairs(ui, outlook, kIndent);
}

float repairs_row_width(const Ui& ui, const predict::Outlook& outlook) {
  const ImGuiSink sink(*ImGui::GetWindowDrawList(), ui.faces, ui.metrics.scale);
  float width = sink.text_width(TextStyle::body, repairs_text(ui, outlook)) + ui.px(12);
  for (std::size_t i = 0; i < outlook.repairs.size(); ++i)
    width += repair_button(ui, outlook, i).width + ui.px(i == 0 ? 0 : 8);
  return width;
}

std::optional<spec::WorkloadSpec> draw_repairs_row(const Ui& ui, const predict::Outlook& outlook,
                                                   float right) {
  ImGuiSink sink(*ImGui::GetWindowDrawList(), ui.faces, ui.metrics.scale);
  const ImVec2 at = ImGui::GetCursorScreenPos();
  const std::string words = repairs_text(ui, outlook);
  const float middle = (ui.px(28) - sink.text_height(TextStyle::body)) / 2;
  sink.text({at.x, at.y + middle}, TextStyle::body, ui.theme.text2, words);
  float x = at.x + sink.text_width(TextStyle::body, words) + ui.px(12);
  std::optional<spec::WorkloadSpec> tried;
  for (std::size_t i = 0; i < outlook.repairs.size(); ++i) {
    const Repair repair = repair_button(ui, outlook, i);
    if (x + repair.width > right) break;
    ImGui::SetCursorScreenPos({x, at.y});
    if (draw_repair(ui, repair, i)) tried = outlook.repairs[i];
    x += repair.width + ui.px(8);
  }
  return tried;
}

}  // namespace ts::views
