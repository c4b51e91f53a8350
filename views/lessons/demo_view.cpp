#include "views/lessons/demo_view.h"

#include <imgui.h>

#include <algorithm>
#include <cmath>

#include "core/text/numbers.h"
#include "views/common/imgui_sink.h"
#include "views/common/widgets.h"

namespace ts::views {
namespace {

// At scale 1.
constexpr float kStripMargin = 16;
constexpr float kStripTop = 8;
constexpr float kStripGap = 4;
constexpr float kStripButtons = 220;
constexpr float kWidestQuestion = 900;  // of the question alone
constexpr float kQuestionScale = 1.5F;  // its words, beside the other large ones
constexpr const char* kForward = "\xef\x81\x91";
constexpr const char* kClose = "\xef\x80\x8d";

// "3 of 10   T² against T".
std::string demo_heading(const Ui& ui, const DemoShown& shown) {
  return ui.texts("demo.heading", {{"number", text::grouped(shown.number)},
                                   {"count", text::grouped(shown.count)},
                                   {"title", shown.demo.title.in(ui.texts.language())}});
}

const std::string& words_below(const Ui& ui, const DemoShown& shown) {
  const lessons::Words& words =
      shown.stage == DemoStage::answer ? shown.demo.answer : shown.demo.task;
  return words.in(ui.texts.language());
}

const char* next_text(const Ui& ui, const DemoShown& shown) {
  switch (shown.stage) {
    case DemoStage::question:
      return ui.texts("demo.show");
    case DemoStage::picture:
      return ui.texts("demo.answer");
    case DemoStage::answer:
      break;
  }
  return ui.texts(shown.number < shown.count ? "demo.next" : "demo.end");
}

DemoRequests draw_buttons(const Ui& ui, const DemoShown& shown) {
  DemoRequests asked;
  asked.next = button(ui, "###demo_next", kForward, next_text(ui, shown), shown.next_key,
                      ButtonKind::primary);
  ImGui::SameLine(0, ui.px(8));
  asked.leave = button(ui, "###demo_leave", kClose, "", "", ButtonKind::quiet);
  tooltip(ui, ui.texts("demo.leave", {{"key", shown.leave_key}}));
  return asked;
}

// Draws wrapped words at the cursor of the window, `right` pixels short of its right edge.
void strip_line(const Ui& ui, TextStyle style, Color color, const std::string& words, float right) {
  ImGui::SetCursorPosX(ui.px(kStripMargin));
  wrapped_text(ui, style, color, words, right);
}

}  // namespace

float demo_strip_height(const Ui& ui, const DemoShown& shown, float width) {
  const float room = width - ui.px(2 * kStripMargin);
  const auto height = [&](TextStyle style, const std::string& words, float wide) {
    return wrapped_height(ui, style, words, wide);
  };
  const text::Language language = ui.texts.language();
  const float beside = room - ui.px(kStripButtons);
  const float below = std::max(height(TextStyle::body, shown.demo.task.in(language), room),
                               height(TextStyle::body, shown.demo.answer.in(language), room));
  return std::floor(height(TextStyle::small, demo_heading(ui, shown), beside) +
                    height(TextStyle::body_strong, shown.demo.question.in(language), beside) +
                    below + ui.px(2 * kStripTop + 2 * kStripGap));
}

DemoRequests draw_demo_strip(const Ui& ui, const DemoShown& shown) {
  const ImVec2 at = ImGui::GetWindowPos();
  const float right = ui.px(kStripMargin);
  DemoRequests asked;
  right_row("###demo_buttons", at.x + ImGui::GetWindowWidth() - right, at.y + ui.px(kStripTop),
            [&] { asked = draw_buttons(ui, shown); });
  ImGui::PushStyleVar(ImGuiStyleVar_ItemSpacing, ImVec2(0, ui.px(kStripGap)));
  ImGui::SetCursorPosY(ui.px(kStripTop));
  const float beside = right + ui.px(kStripButtons);
  strip_line(ui, TextStyle::small, ui.theme.text2, demo_heading(ui, shown), beside);
  strip_line(ui, TextStyle::body_strong, ui.theme.text, shown.demo.question.in(ui.texts.language()),
             beside);
  const bool answered = shown.stage == DemoStage::answer;
  strip_line(ui, TextStyle::body, answered ? ui.theme.accent : ui.theme.text2,
             words_below(ui, shown), right);
  ImGui::PopStyleVar();
  return asked;
}

DemoRequests draw_demo_question(const Ui& ui, const DemoShown& shown) {
  const Ui large{ui.theme, {ui.metrics.scale * kQuestionScale}, ui.faces, ui.texts};
  const float width = std::min(ImGui::GetWindowWidth() * 0.8F, ui.px(kWidestQuestion));
  const float left = std::floor((ImGui::GetWindowWidth() - width) / 2);
  const std::string& question = shown.demo.question.in(ui.texts.language());
  const float words = wrapped_height(large, TextStyle::large, question, width);
  const auto below = [&](float gap) {
    ImGui::Dummy({0, ui.px(gap)});
    ImGui::SetCursorPosX(left);
  };
  ImGui::SetCursorPos({left, std::max(0.0F, (ImGui::GetWindowHeight() - words) * 0.4F)});
  text(ui, TextStyle::body, ui.theme.text2, demo_heading(ui, shown));
  below(12);
  wrapped_text(large, TextStyle::large, ui.theme.text, question, left);
  if (!shown.why_not.empty()) {
    below(16);
    wrapped_text(ui, TextStyle::body, ui.theme.warn,
                 ui.texts("demo.not_here", {{"reason", shown.why_not}}), left);
  }
  below(24);
  return draw_buttons(ui, shown);
}

}  // namespace ts::views
