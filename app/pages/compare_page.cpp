#include "app/pages/compare_page.h"

#include <imgui.h>

#include <cmath>
#include <utility>

#include "core/checks/comparison_checks.h"
#include "core/report/compare_report.h"
#include "core/spec/spec_values.h"
#include "views/charts/chart_text.h"
#include "views/charts/stale_mark.h"
#include "views/common/imgui_sink.h"
#include "views/common/spec_text.h"
#include "views/common/widgets.h"
#include "views/compare/compare_figure.h"
#include "views/compare/compare_text.h"
#include "views/inspector/check_list.h"

namespace ts::app {
namespace {

// Pixels at scale 1.
constexpr float kLeastMemory = 240;  // for the memory of both sides
constexpr float kStaleRoom = 16;     // over the figure: the plate of other settings hides no words

// "Backend: naive in A, flash in B": the subject of the comparison, independent of the current
// settings.
std::string subject(const views::Ui& ui, const run::Comparison& comparison) {
  std::string words;
  const auto& [a, b] = comparison.sides;
  for (const run::SpecDifference& one : run::differences(a.spec, b.spec)) {
    if (!words.empty()) words += ui.texts("memory.list_comma");
    const auto field = spec::field_from_name(one.key);
    const auto value = [&](const std::string& written) {
      return field ? views::value_text(ui.texts, *field, written) : written;
    };
    words +=
        ui.texts("compare.subject", {{"key", field ? views::field_text(ui.texts, *field) : one.key},
                                     {"a", value(one.a)},
                                     {"b", value(one.b)}});
  }
  return words;
}

}  // namespace

// The reason why the chosen sides cannot be compared; empty: they can.
std::string ComparePage::refusal() const {
  const spec::CheckedSpec& a = state().history.checked();
  if (!session().engine_problem().empty())
    return views::message_text(texts(), session().engine_problem());
  if (!a.problems().empty()) return views::message_text(texts(), a.problems().front());
  if (runs().measures_sweep()) return texts()("note.sweep_measures");
  const auto b = views::spec_of_b(state().compare_edit, a);
  return b ? std::string() : views::message_text(texts(), b.error());
}

void ComparePage::start() {
  if (const std::string why = refusal(); !why.empty()) {
    notices().add(why);
  } else {
    const spec::CheckedSpec& a = state().history.checked();
    session().start_comparison(a.spec(), *views::spec_of_b(state().compare_edit, a),
                               run::comparison_protocol());
  }
}

// The settings of A in the comparison on screen that differ from the current ones, else those of B.
std::string ComparePage::stale() const {
  const run::Comparison* const comparison = session().comparison();
  if (comparison == nullptr) return {};
  const spec::WorkloadSpec& now = settings();
  std::string words = views::difference_text(texts(), comparison->sides[0].spec, now);
  const auto b = views::spec_of_b(state().compare_edit, state().history.checked());
  if (words.empty() && b) words = views::difference_text(texts(), comparison->sides[1].spec, *b);
  return words;
}

void ComparePage::draw_head(const views::Ui& ui, float width) {
  const ImVec2 at = ImGui::GetCursorScreenPos();
  const run::Comparison* const comparison = session().comparison();
  const bool going_on = session().comparing();
  std::string title, progress, about, paid;
  if (comparison != nullptr) {
    about = subject(ui, *comparison);
    const double most = run::comparison_protocol().budget_s;
    progress = views::comparison_state(*comparison, most, texts());
    title = going_on ? progress : views::comparison_verdict(*comparison, texts());
    if (going_on) {
      progress.clear();
    } else {
      paid = views::message_text(texts(), report::break_even_sentence(*comparison));
    }
  } else if (going_on) {
    title = texts()("compare.preparing");
  } else {
    title = views::message_text(texts(), session().comparison_problem());
    if (title.empty()) title = refusal();
    if (title.empty()) title = texts()("compare.nothing_yet");
  }
  views::ImGuiSink sink(*ImGui::GetWindowDrawList(), ui.faces, ui.metrics.scale);
  const float buttons = views::right_row("###compare_buttons", at.x + width - ui.px(16),
                                         at.y + ui.px(kHeadMargin), [&] { draw_buttons(ui); });
  const float room = buttons - at.x - ui.px(32);
  ImGui::SetCursorScreenPos({at.x + ui.px(16), at.y + ui.px(kHeadMargin)});
  draw_headline(ui, room, title);
  // The top of what is below the headline.
  const float top = at.y + ui.px(kHeadMargin) + second_line(ui, room);
  sink.text({at.x + ui.px(16), top + ui.px(32)}, views::TextStyle::small, ui.theme.text2,
            views::fitted(sink, views::TextStyle::small,
                          about + (about.empty() || progress.empty() ? "" : "   ") + progress,
                          width - ui.px(32)));
  if (!paid.empty()) {
    sink.text({at.x + ui.px(16), top + ui.px(52)}, views::TextStyle::body, ui.theme.text,
              views::fitted(sink, views::TextStyle::body, paid, width - ui.px(32)));
  }
  ImGui::SetCursorScreenPos({at.x, top + ui.px(paid.empty() ? 60 : 80)});
}

void ComparePage::draw_buttons(const views::Ui& ui) {
  const run::Comparison* const comparison = session().comparison();
  const bool going_on = session().comparing();
  if (going_on) {
    if (views::icon_button(ui, "###compare_stop", "\xef\x81\x8d", "compare.stop",
                           views::ButtonKind::primary, "Esc")) {
      session().cancel();
    }
  } else {
    const std::string why = refusal();
    ImGui::BeginDisabled(!why.empty());
    if (views::icon_button(ui, "###compare_start", "\xef\x81\x8b", "compare.start",
                           views::ButtonKind::primary, ui.texts("common.space")))
      start();
    ImGui::EndDisabled();
    views::tooltip(ui, why);
  }
  if (comparison != nullptr && !going_on) {
    ImGui::SameLine(0, ui.px(8));
    if (views::icon_button(ui, "###compare_copy", "\xef\x83\x85", "common.copy",
                           views::ButtonKind::quiet)) {
      ImGui::SetClipboardText(
          (io::to_markdown(report::comparison_table(*comparison)) + "\n" +
           views::message_text(ui.texts, report::comparison_sentence(*comparison)) + "\n")
              .c_str());
    }
  }
}

void ComparePage::draw(const views::Ui& ui, Requests& requests) {
  PageArea area = frame().begin(ui);
  const spec::CheckedSpec& a = state().history.checked();
  views::settle(state().compare_edit, a);
  frame().draw_form(ui, area, "###compare_controls", [&] {
    views::draw_compare_controls(ui, state().compare_edit, a);
    if (const run::Comparison* const comparison = session().comparison())
      views::draw_check_list(ui, checks::of_comparison(*comparison, false));
  });
  contexts().ask_for_prediction();
  // Before the first comparison there are only a few lines of text. In a low window the times
  // scroll.
  const bool compared = session().comparison() != nullptr;
  const float wanted = std::max(area.size.y * 0.56F, times_height_);
  const float most = std::max(area.size.y * 0.4F, area.size.y - ui.px(kLeastMemory));
  PageArea times = area.cut_top(compared ? std::floor(std::min(wanted, most)) : ui.px(140));
  draw_window(ui, {.id = "###compare_memory"}, area, [&] { memory_.draw(ui, area, requests); });
  std::swap(times, area);
  draw_window(ui, {.id = "###compare_page", .flags = kFixedFlags, .line_below = true}, area, [&] {
    draw_head(ui, area.size.x);
    const ImVec2 at = ImGui::GetCursorScreenPos();
    if (const run::Comparison* const comparison = session().comparison()) {
      views::ImGuiSink sink(*ImGui::GetWindowDrawList(), ui.faces, ui.metrics.scale);
      const float head = at.y + ImGui::GetScrollY() - area.origin.y + ui.px(kStaleRoom);
      const float height = std::max(area.size.y, times_height_) - head;
      const float top = at.y + ui.px(kStaleRoom);
      const views::Rect figure{at.x, top, at.x + area.size.x, top + height};
      ImGui::Dummy({1, figure.y1 - at.y});
      times_height_ = head + views::draw_compare_figure(
                                 sink, figure, {*comparison, texts(), ui.theme, ui.metrics});
      views::draw_stale(sink, ui.theme, ui.metrics,
                        {figure.x0, figure.y0 - ui.px(30), figure.x1, figure.y1}, texts(), stale());
    } else {
      ImGui::SetCursorScreenPos({at.x + ui.px(16), at.y});
      views::wrapped_text(ui, views::TextStyle::body, ui.theme.text2, texts()("compare.about"),
                          ui.px(24));
    }
  });
}

void ComparePage::save(Requests& requests) {
  requests.save = Requests::Save::comparison;
}

std::string ComparePage::why_not_save() const {
  if (session().busy()) return texts()("command.why.still_running");
  return unless(session().comparison() != nullptr, "command.why.no_comparison");
}

}  // namespace ts::app
