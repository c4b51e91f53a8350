// The page of A against B: which setting differs, the comparison as it goes on, its outcome.
#include <imgui.h>

#include <algorithm>
#include <cmath>

#include "app/page_windows.h"
#include "app/workspace.h"
#include "views/charts/chart_text.h"
#include "views/common/imgui_sink.h"
#include "views/common/widgets.h"
#include "views/compare/compare_figure.h"
#include "views/compare/compare_words.h"

namespace ts::app {
namespace {

// "Attention: naive against flash": what the comparison was of, whatever the settings are now.
std::string subject(const views::Ui& ui, const run::Comparison& comparison) {
  std::string words;
  const auto& [a, b] = comparison.sides;
  for (const run::SpecDifference& one : run::differences(a.spec, b.spec)) {
    if (!words.empty()) words += ", ";
    words += ui.texts("compare.subject", {{"key", one.key}, {"a", one.a}, {"b", one.b}});
  }
  return words;
}

}  // namespace

void Workspace::start_comparison() {
  const run::WorkloadSpec& a = state_->history.spec();
  const auto b = views::spec_of_b(state_->compare_draft, a, *texts_);
  if (!session_->engine_problem().empty()) {
    notify(session_->engine_problem());
  } else if (const auto problems = run::validate(a); !problems.empty()) {
    notify((*texts_)(problems.front().key, problems.front().arguments));
  } else if (!b) {
    notify(b.error().sentence);
  } else {
    session_->start_comparison(a, *b, run::comparison_protocol());
  }
}

void Workspace::draw_compare_head(const views::Ui& ui, float width) {
  const ImVec2 at = ImGui::GetCursorScreenPos();
  const float buttons = ui.px(230);
  const run::Comparison* const comparison = session_->comparison();
  const bool going_on = session_->comparing();
  std::string title, state, about;
  if (comparison != nullptr) {
    about = subject(ui, *comparison);
    const double most = run::comparison_protocol().budget_s;
    state = views::comparison_state(*comparison, most, *texts_);
    title = going_on ? state : views::comparison_verdict(*comparison, *texts_);
    if (going_on) state.clear();
    if (const auto paid = views::break_even_words(*comparison, *texts_); !going_on && !paid.empty())
      state += "   " + paid;
  } else if (going_on) {
    title = (*texts_)("compare.preparing");
  } else {
    title = session_->comparison_problem();
    if (title.empty()) title = (*texts_)("compare.nothing_yet");
  }
  views::ImGuiSink sink(*ImGui::GetWindowDrawList(), ui.faces, ui.metrics.scale);
  const float room = width - buttons - ui.px(24);
  const auto style = sink.text_width(views::TextStyle::large, title) <= room
                         ? views::TextStyle::large
                         : views::TextStyle::body;
  sink.text({at.x + ui.px(16), at.y + ui.px(6)}, style, ui.theme.text,
            views::fitted(sink, style, title, room));
  sink.text({at.x + ui.px(16), at.y + ui.px(36)}, views::TextStyle::small, ui.theme.text2,
            about + (about.empty() || state.empty() ? "" : "   ") + state);
  ImGui::SetCursorScreenPos({at.x + width - buttons, at.y + ui.px(14)});
  if (going_on) {
    if (views::button(ui, "###compare_stop", "\xef\x81\x8d", ui.texts("compare.stop"), "Esc",
                      views::ButtonKind::primary)) {
      session_->cancel();
    }
  } else if (views::button(ui, "###compare_start", "\xef\x81\x8b", ui.texts("compare.start"),
                           "Space", views::ButtonKind::primary)) {
    start_comparison();
  }
  if (comparison != nullptr && !going_on) {
    ImGui::SameLine(0, ui.px(8));
    if (views::button(ui, "###compare_copy", "\xef\x83\x85", ui.texts("common.copy"), "",
                      views::ButtonKind::quiet)) {
      ImGui::SetClipboardText((io::to_markdown(run::comparison_table(*comparison)) + "\n" +
                               run::comparison_sentence(*comparison) + "\n")
                                  .c_str());
    }
  }
  ImGui::SetCursorScreenPos({at.x, at.y + ui.px(64)});
}

void Workspace::draw_compare(const views::Ui& ui) {
  const ImGuiViewport* viewport = ImGui::GetMainViewport();
  const ImVec2 origin = viewport->WorkPos;
  const ImVec2 size = viewport->WorkSize;
  const float left = std::floor(std::min(ui.px(320), size.x * 0.4F));
  ImGui::SetNextWindowPos(origin);
  ImGui::SetNextWindowSize({left, size.y});
  ImGui::PushStyleVar(ImGuiStyleVar_WindowPadding, ImVec2(ui.px(16), ui.px(12)));
  if (ImGui::Begin("###compare_controls", nullptr, kFixedFlags)) {
    views::settle(state_->compare_draft, state_->history.spec());
    views::draw_compare_controls(ui, state_->compare_draft, state_->history.spec());
    views::divider(ui);
    views::draw_controls(controls(ui));
  }
  ImGui::End();
  ImGui::PopStyleVar();
  ask_for_prediction();

  ImGui::SetNextWindowPos({origin.x + left, origin.y});
  ImGui::SetNextWindowSize({size.x - left, size.y});
  ImGui::PushStyleVar(ImGuiStyleVar_WindowPadding, ImVec2(0, 0));
  const bool open = ImGui::Begin("###compare_page", nullptr, kFixedFlags | kUnmovingFlags);
  ImGui::PopStyleVar();
  if (open) {
    const ImVec2 corner = ImGui::GetWindowPos();
    ImGui::GetWindowDrawList()->AddRectFilled(corner, {corner.x + 1, corner.y + size.y},
                                              ui.theme.line);
    draw_compare_head(ui, size.x - left);
    const ImVec2 at = ImGui::GetCursorScreenPos();
    if (const run::Comparison* const comparison = session_->comparison()) {
      views::ImGuiSink sink(*ImGui::GetWindowDrawList(), ui.faces, ui.metrics.scale);
      ImGui::Dummy({size.x - left, corner.y + size.y - at.y});
      views::draw_compare_figure(sink, {at.x, at.y, corner.x + size.x - left, corner.y + size.y},
                                 {*comparison, *texts_, ui.theme, ui.metrics});
    } else {
      ImGui::SetCursorScreenPos({at.x + ui.px(16), at.y});
      views::wrapped_text(ui, views::TextStyle::body, ui.theme.text2, (*texts_)("compare.about"),
                          ui.px(24));
    }
  }
  ImGui::End();
}

}  // namespace ts::app
