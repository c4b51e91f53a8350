// The page of A against B: the setting that differs, the comparison in progress, its result.
#include <imgui.h>

#include <algorithm>
#include <cmath>

#include "app/window/page_windows.h"
#include "app/window/workspace.h"
#include "core/report/compare_report.h"
#include "core/spec/spec_values.h"
#include "views/charts/chart_text.h"
#include "views/charts/stale_mark.h"
#include "views/common/imgui_sink.h"
#include "views/common/spec_words.h"
#include "views/common/widgets.h"
#include "views/compare/compare_figure.h"
#include "views/compare/compare_words.h"

namespace ts::app {
namespace {

// "Backend: naive in A, flash in B": the subject of the comparison, independent of the current
// settings.
std::string subject(const views::Ui& ui, const run::Comparison& comparison) {
  std::string words;
  const auto& [a, b] = comparison.sides;
  for (const run::SpecDifference& one : run::differences(a.spec, b.spec)) {
    if (!words.empty()) words += ui.texts("memory.list_comma");
    const auto field = spec::field_from_name(one.key);
    const auto value = [&](const std::string& written) {
      return field ? views::value_words(ui.texts, *field, written) : written;
    };
    words += ui.texts("compare.subject",
                      {{"key", field ? views::field_words(ui.texts, *field) : one.key},
                       {"a", value(one.a)},
                       {"b", value(one.b)}});
  }
  return words;
}

}  // namespace

// The reason why the chosen sides cannot be compared; empty: they can.
std::string Workspace::comparison_refusal() const {
  const spec::WorkloadSpec& a = state_->history.spec();
  if (!session_->engine_problem().empty())
    return views::message_words(*texts_, session_->engine_problem());
  if (const auto problems = spec::validate(a); !problems.empty())
    return views::message_words(*texts_, problems.front());
  if (measures_sweep()) return (*texts_)("note.sweep_measures");
  const auto b = views::spec_of_b(state_->compare_edit, a);
  return b ? std::string() : views::message_words(*texts_, b.error());
}

void Workspace::start_comparison() {
  if (const std::string refusal = comparison_refusal(); !refusal.empty()) {
    notify(refusal);
  } else {
    const spec::WorkloadSpec& a = state_->history.spec();
    session_->start_comparison(a, *views::spec_of_b(state_->compare_edit, a),
                               run::comparison_protocol());
  }
}

// The settings of A in the comparison on screen that differ from the current ones, else those of B.
std::string Workspace::stale_comparison() const {
  const run::Comparison* const comparison = session_->comparison();
  if (comparison == nullptr) return {};
  const spec::WorkloadSpec& now = state_->history.spec();
  std::string words = views::difference_words(*texts_, comparison->sides[0].spec, now);
  const auto b = views::spec_of_b(state_->compare_edit, now);
  if (words.empty() && b) words = views::difference_words(*texts_, comparison->sides[1].spec, *b);
  return words;
}

void Workspace::draw_compare_head(const views::Ui& ui, float width) {
  const ImVec2 at = ImGui::GetCursorScreenPos();
  const run::Comparison* const comparison = session_->comparison();
  const bool going_on = session_->comparing();
  std::string title, state, about, paid;
  if (comparison != nullptr) {
    about = subject(ui, *comparison);
    const double most = run::comparison_protocol().budget_s;
    state = views::comparison_state(*comparison, most, *texts_);
    title = going_on ? state : views::comparison_verdict(*comparison, *texts_);
    if (going_on) {
      state.clear();
    } else {
      paid = views::break_even_words(*comparison, *texts_);
    }
  } else if (going_on) {
    title = (*texts_)("compare.preparing");
  } else {
    title = views::message_words(*texts_, session_->comparison_problem());
    if (title.empty()) title = comparison_refusal();
    if (title.empty()) title = (*texts_)("compare.nothing_yet");
  }
  views::ImGuiSink sink(*ImGui::GetWindowDrawList(), ui.faces, ui.metrics.scale);
  const float buttons =
      views::right_row("###compare_buttons", at.x + width - ui.px(16), at.y + ui.px(kHeadMargin),
                       [&] { draw_compare_buttons(ui); });
  const float room = buttons - at.x - ui.px(32);
  const auto style = sink.text_width(views::TextStyle::large, title) <= room
                         ? views::TextStyle::large
                         : views::TextStyle::body;
  sink.text({at.x + ui.px(16), at.y + ui.px(kHeadMargin)}, style, ui.theme.text,
            views::fitted(sink, style, title, room));
  sink.text({at.x + ui.px(16), at.y + ui.px(kHeadMargin + 32)}, views::TextStyle::small,
            ui.theme.text2,
            views::fitted(sink, views::TextStyle::small,
                          about + (about.empty() || state.empty() ? "" : "   ") + state,
                          width - ui.px(32)));
  if (!paid.empty()) {
    sink.text({at.x + ui.px(16), at.y + ui.px(kHeadMargin + 52)}, views::TextStyle::body,
              ui.theme.text, views::fitted(sink, views::TextStyle::body, paid, width - ui.px(32)));
  }
  ImGui::SetCursorScreenPos({at.x, at.y + ui.px(kHeadMargin + (paid.empty() ? 60.0F : 80.0F))});
}

void Workspace::draw_compare_buttons(const views::Ui& ui) {
  const run::Comparison* const comparison = session_->comparison();
  const bool going_on = session_->comparing();
  if (going_on) {
    if (views::button(ui, "###compare_stop", "\xef\x81\x8d", ui.texts("compare.stop"), "Esc",
                      views::ButtonKind::primary)) {
      session_->cancel();
    }
  } else if (views::button(ui, "###compare_start", "\xef\x81\x8b", ui.texts("compare.start"),
                           ui.texts("common.space"), views::ButtonKind::primary)) {
    start_comparison();
  }
  if (comparison != nullptr && !going_on) {
    ImGui::SameLine(0, ui.px(8));
    if (views::button(ui, "###compare_copy", "\xef\x83\x85", ui.texts("common.copy"), "",
                      views::ButtonKind::quiet)) {
      ImGui::SetClipboardText((io::to_markdown(report::comparison_table(*comparison)) + "\n" +
                               report::comparison_sentence(*comparison) + "\n")
                                  .c_str());
    }
  }
}

void Workspace::draw_compare(const views::Ui& ui, bool projector) {
  const auto [origin, size] = page_area(ui, projector);
  const bool form = shows_form(projector);
  const float left = form ? controls_width(ui, size.x) : 0;
  views::settle(state_->compare_edit, state_->history.spec());
  if (form) {
    form_panel(ui, "###compare_controls", origin, {left, size.y}, kFixedFlags, [&] {
      views::draw_compare_controls(ui, state_->compare_edit, state_->history.spec());
      views::divider(ui);
      views::draw_controls(controls(ui));
    });
  }
  ask_for_prediction();

  ImGui::SetNextWindowPos({origin.x + left, origin.y});
  ImGui::SetNextWindowSize({size.x - left, size.y});
  ImGui::PushStyleVar(ImGuiStyleVar_WindowPadding, ImVec2(0, 0));
  const bool open = ImGui::Begin("###compare_page", nullptr, kFixedFlags | kUnmovingFlags);
  ImGui::PopStyleVar();
  if (open) {
    const ImVec2 corner = ImGui::GetWindowPos();
    if (form) views::left_edge(ui);
    draw_compare_head(ui, size.x - left);
    const ImVec2 at = ImGui::GetCursorScreenPos();
    if (const run::Comparison* const comparison = session_->comparison()) {
      views::ImGuiSink sink(*ImGui::GetWindowDrawList(), ui.faces, ui.metrics.scale);
      ImGui::Dummy({size.x - left, corner.y + size.y - at.y});
      const views::Rect area{at.x, at.y, corner.x + size.x - left, corner.y + size.y};
      views::draw_compare_figure(sink, area, {*comparison, *texts_, ui.theme, ui.metrics});
      views::draw_stale(sink, ui.theme, ui.metrics, area, *texts_, stale_comparison());
    } else {
      ImGui::SetCursorScreenPos({at.x + ui.px(16), at.y});
      views::wrapped_text(ui, views::TextStyle::body, ui.theme.text2, (*texts_)("compare.about"),
                          ui.px(24));
    }
  }
  ImGui::End();
}

}  // namespace ts::app
