#include "views/lessons/lesson_page.h"

#include <imgui.h>
#include <imgui_stdlib.h>

#include <algorithm>
#include <cmath>

#include "core/lessons/lesson_report.h"
#include "core/text/numbers.h"
#include "views/charts/chart_text.h"
#include "views/common/imgui_sink.h"
#include "views/common/spec_text.h"
#include "views/common/widgets.h"
#include "views/lessons/error_list.h"
#include "views/lessons/lesson_curve.h"
#include "views/lessons/lesson_figure.h"

namespace ts::views {
namespace {

constexpr const char* kDone = "\xef\x80\x8c";   // check
constexpr const char* kCross = "\xef\x80\x8d";  // cross
constexpr const char* kOpen = "\xef\x84\x91";   // circle
constexpr const char* kPlay = "\xef\x81\x8b";
constexpr const char* kStop = "\xef\x81\x8d";
constexpr const char* kSave = "\xef\x83\x87";
constexpr const char* kLock = "\xef\x80\xa3";

using lessons::CheckState;
using lessons::Column;

const std::string& words(const Ui& ui, const lessons::Words& of) {
  return of.in(ui.texts.language());
}

// A heading with space above it.
void heading(const Ui& ui, std::string_view title, std::string_view remark = {}) {
  ImGui::Dummy({0, ui.px(10)});
  section(ui, title, remark);
}

void paragraph(const Ui& ui, std::string_view content, Color color) {
  if (!content.empty()) wrapped_text(ui, TextStyle::body, color, content);
}

void draw_head(const Ui& ui, const LessonShown& shown, LessonRequests& asked) {
  const lessons::Lesson& lesson = shown.lesson;
  wrapped_text(ui, TextStyle::large, ui.theme.text, words(ui, lesson.title));
  paragraph(ui, words(ui, lesson.summary), ui.theme.text2);
  std::vector<Choice> choices;
  std::vector<lessons::Tier> tiers;
  int chosen = 0;
  for (int i = 0; i < lessons::kTierCount; ++i) {
    const auto tier = static_cast<lessons::Tier>(i);
    if (!lesson.has(tier)) continue;
    if (tier == shown.tier) chosen = static_cast<int>(tiers.size());
    tiers.push_back(tier);
    choices.push_back({to_string(tier), ui.texts(std::string("lesson.tier.") + to_string(tier)),
                       shown.running ? ui.texts("lesson.why.running") : ""});
  }
  ImGui::Dummy({0, ui.px(4)});
  const float width = std::min(ImGui::GetContentRegionAvail().x - ui.px(16),
                               ui.px(230) * static_cast<float>(choices.size()));
  if (choices.size() > 1 && choice_grid(ui, "###lesson_tier", choices, chosen, width)) {
    asked.tier = tiers[static_cast<std::size_t>(chosen)];
  }
  std::string about = choices.size() > 1 ? "" : choices.front().label + "   ";
  about += ui.texts("lesson.minutes", {{"minutes", std::to_string(lesson.minutes)}});
  if (!shown.card.empty()) about += "   " + shown.card;
  for (const std::string& row : lesson.rows) about.append("   ").append(row);
  text(ui, TextStyle::small, ui.theme.text2, about);
}

// The points of a drawn curve; it may have gaps.
std::vector<lessons::CurvePoint> points_of(const LessonEdit& edit,
                                           const std::vector<double>& places) {
  std::vector<lessons::CurvePoint> points;
  for (std::size_t i = 0; i < places.size(); ++i)
    if (edit.curve[i] > 0) points.push_back({places[i], edit.curve[i]});
  return points;
}

// The places that the mouse passed in this frame take its height.
void draw_with_mouse(LessonEdit& edit, const std::vector<double>& places,
                     const LessonCurvePlot& at) {
  const ImGuiIO& io = ImGui::GetIO();
  const Point now{io.MousePos.x, io.MousePos.y};
  const Point before = ImGui::IsMouseClicked(ImGuiMouseButton_Left)
                           ? now
                           : Point{now.x - io.MouseDelta.x, now.y - io.MouseDelta.y};
  std::size_t nearest = 0;
  for (std::size_t i = 0; i < places.size(); ++i) {
    const float x = at.x.position(places[i]);
    if (std::abs(x - now.x) < std::abs(at.x.position(places[nearest]) - now.x)) nearest = i;
    if (x < std::min(before.x, now.x) || x > std::max(before.x, now.x) || now.x == before.x)
      continue;
    const float y = before.y + (now.y - before.y) * (x - before.x) / (now.x - before.x);
    const float part = std::clamp((y - at.y.from) / (at.y.to - at.y.from), 0.0F, 1.0F);
    edit.curve[i] = at.y.value_at(static_cast<double>(part));
  }
  const float part = std::clamp((now.y - at.y.from) / (at.y.to - at.y.from), 0.0F, 1.0F);
  edit.curve[nearest] = at.y.value_at(static_cast<double>(part));
}

void draw_curve_field(const Ui& ui, LessonEdit& edit, const LessonShown& shown,
                      LessonRequests& asked) {
  const std::vector<double> places = lessons::curve_places(shown.lesson, shown.tier);
  if (places.size() < 2) return;
  const std::string of = shown.lesson.id + " " + to_string(shown.tier);
  if (edit.curve_of != of || edit.curve.size() != places.size()) {
    edit.curve_of = of;
    edit.curve.assign(places.size(), 0);
  }
  const ImVec2 corner = ImGui::GetCursorScreenPos();
  const float width = std::min(ImGui::GetContentRegionAvail().x - ui.px(16), ui.px(640));
  const Rect area{corner.x, corner.y, corner.x + width, corner.y + lesson_curve_height(ui.metrics)};
  ImGuiSink sink(*ImGui::GetWindowDrawList(), ui.faces, ui.metrics.scale);
  std::vector<lessons::CurvePoint> points =
      shown.guess ? shown.guess->points : points_of(edit, places);
  const auto curve_now = [&] {
    return LessonCurve{.theme = ui.theme,
                       .metrics = ui.metrics,
                       .texts = ui.texts,
                       .lesson = shown.lesson,
                       .tier = shown.tier,
                       .guess = points,
                       .found = numbers_are_shown(shown) ? &shown.findings.curve : nullptr};
  };
  press_area("###lesson_curve", area.width(), area.height());
  const bool drawing = ImGui::IsItemActive() && ImGui::IsMouseDown(ImGuiMouseButton_Left);
  if (drawing && !shown.guess) {
    draw_with_mouse(edit, places, lesson_curve_plot(sink, area, curve_now()));
    points = points_of(edit, places);
  }
  draw_lesson_curve(sink, area, curve_now());
  focus_ring(ui);
  if (shown.guess) return;
  text(ui, TextStyle::small, ui.theme.text2, ui.texts("lesson.curve_hint"));
  ImGui::BeginDisabled(points.size() < 2);
  if (icon_button(ui, "###lesson_give_guess", kLock, "lesson.give_guess", ButtonKind::plain))
    asked.guess = lessons::curve_text(points, lessons::curve_unit(*shown.lesson.question->curve));
  ImGui::EndDisabled();
}

// A guess that was given stays where it was chosen or typed.
void draw_guess_field(const Ui& ui, LessonEdit& edit, const LessonShown& shown,
                      LessonRequests& asked) {
  if (shown.lesson.question->curve) return draw_curve_field(ui, edit, shown, asked);
  ImGui::BeginDisabled(shown.guess.has_value());
  const auto& choices = shown.lesson.question->choices;
  for (std::size_t i = 0; i < choices.size(); ++i) {
    const std::string id = "###lesson_choice_" + std::to_string(i + 1);
    const bool chosen = shown.guess && shown.guess->choice == i;
    if (list_row(ui, id.c_str(), std::to_string(i + 1) + "   " + words(ui, choices[i].text), "",
                 chosen)) {
      asked.guess = std::to_string(i + 1);
    }
  }
  if (!choices.empty()) return ImGui::EndDisabled();
  if (shown.guess) edit.guess = shown.guess->text;
  const FontScope font(ui, TextStyle::body);
  ImGui::SetNextItemWidth(ui.px(160));
  const bool entered = ImGui::InputTextWithHint("###lesson_guess", ui.texts("lesson.guess_hint"),
                                                &edit.guess, ImGuiInputTextFlags_EnterReturnsTrue);
  ImGui::SameLine(0, ui.px(8));
  const bool pressed =
      icon_button(ui, "###lesson_give_guess", kLock, "lesson.give_guess", ButtonKind::plain);
  if ((entered || pressed) && !edit.guess.empty()) asked.guess = edit.guess;
  ImGui::EndDisabled();
}

void draw_question(const Ui& ui, LessonEdit& edit, const LessonShown& shown,
                   LessonRequests& asked) {
  if (!shown.lesson.question) return;
  const lessons::Question& question = *shown.lesson.question;
  heading(ui, ui.texts("lesson.report.question"));
  wrapped_text(ui, TextStyle::body_strong, ui.theme.text, words(ui, question.text));
  ImGui::Dummy({0, ui.px(2)});
  draw_guess_field(ui, edit, shown, asked);
  if (!shown.guess) {
    text(ui, TextStyle::small, ui.theme.text2, ui.texts("lesson.hidden"));
    return;
  }
  const auto& answer = shown.findings.answer;
  if (!answer) {
    text(ui, TextStyle::small, ui.theme.text2, ui.texts("lesson.guess_kept"));
    return;
  }
  std::string said = ui.texts(
      "lesson.named", {{"name", answer_name(shown.lesson, shown.findings, ui.texts)},
                       {"value", lessons::text_of(*answer, shown.lesson.value(question.value))}});
  if (const auto choice = lessons::true_choice(shown.lesson, shown.findings)) {
    said += "   " + words(ui, question.choices[*choice].text);
  }
  paragraph(ui, said, ui.theme.text);
  const bool right = lessons::is_right(shown.lesson, shown.findings, *shown.guess).value_or(false);
  text(ui, TextStyle::body_medium, right ? ui.theme.ok : ui.theme.bad,
       std::string(right ? kDone : kCross) + "  " +
           lessons::verdict_text(shown.lesson, shown.findings, *shown.guess, ui.texts));
  paragraph(
      ui, lessons::curve_summary(shown.lesson, shown.tier, shown.findings, *shown.guess, ui.texts),
      ui.theme.text);
  paragraph(ui, lessons::filled(shown.lesson, shown.findings, words(ui, question.after)),
            ui.theme.text2);
}

void draw_step(const Ui& ui, const LessonShown& shown, const lessons::Step& step,
               const lessons::StepPlan& plan, int number) {
  const bool done = shown.finished.contains(step.id);
  const bool now = shown.current == step.id;
  ImGuiSink sink(*ImGui::GetWindowDrawList(), ui.faces, ui.metrics.scale);
  const ImVec2 at = ImGui::GetCursorScreenPos();
  const float width = ImGui::GetContentRegionAvail().x - ui.px(16);
  const Color color = done ? ui.theme.ok : now ? ui.theme.accent : ui.theme.text2;
  sink.text({at.x, at.y + ui.px(4)}, TextStyle::body, color,
            done ? std::string(kDone) : std::to_string(number));
  const std::string kind = ui.texts(std::string("lesson.kind.") + to_string(plan.kind));
  const float kind_width = sink.text_width(TextStyle::small, kind);
  sink.text({at.x + ui.px(28), at.y + ui.px(4)}, now ? TextStyle::body_strong : TextStyle::body,
            ui.theme.text,
            fitted(sink, TextStyle::body, words(ui, step.title), width - ui.px(48) - kind_width));
  sink.text({at.x + width - kind_width, at.y + ui.px(5)}, TextStyle::small, ui.theme.text2, kind);
  ImGui::Dummy({width, ui.px(26)});
  if (!now) return;
  const ImVec2 bar = ImGui::GetCursorScreenPos();
  const float length = width - ui.px(28);
  sink.fill({bar.x + ui.px(28), bar.y, bar.x + ui.px(28) + length, bar.y + ui.px(4)},
            ui.theme.surface3);
  const auto part = static_cast<float>(std::clamp(shown.fraction, 0.0, 1.0));
  sink.fill({bar.x + ui.px(28), bar.y, bar.x + ui.px(28) + length * part, bar.y + ui.px(4)},
            ui.theme.accent);
  ImGui::Dummy({width, ui.px(8)});
}

void draw_steps(const Ui& ui, const LessonShown& shown, LessonRequests& asked) {
  const std::size_t all = shown.lesson.steps_in(shown.tier);
  heading(ui, ui.texts("lesson.report.steps"),
          std::to_string(shown.finished.size()) + " / " + std::to_string(all));
  int number = 0;
  for (const lessons::Step& step : shown.lesson.steps) {
    const auto& plan = step.plans[static_cast<std::size_t>(shown.tier)];
    if (plan) draw_step(ui, shown, step, *plan, ++number);
  }
  ImGui::Dummy({0, ui.px(2)});
  if (shown.running) {
    if (icon_button(ui, "###lesson_cancel", kStop, "lesson.cancel", ButtonKind::primary, "Esc"))
      asked.cancel = true;
    if (shown.seconds_left >= 0) {
      ImGui::SameLine(0, ui.px(12));
      text(ui, TextStyle::small, ui.theme.text2,
           ui.texts("lesson.left",
                    {{"step", std::to_string(shown.finished.size() + 1)},
                     {"count", std::to_string(all)},
                     {"seconds", text::decimal(std::max(1.0, shown.seconds_left), 0)}}));
    }
  } else if (shown.finished.size() < all) {
    const char* const label = shown.finished.empty() ? "lesson.run" : "lesson.go_on";
    if (icon_button(ui, "###lesson_run", kPlay, label, ButtonKind::primary,
                    ui.texts("common.space"))) {
      asked.start = true;
    }
  }
  if (!shown.problem.empty()) paragraph(ui, message_text(ui.texts, shown.problem), ui.theme.bad);
}

void draw_numbers(const Ui& ui, const LessonShown& shown) {
  heading(ui, ui.texts("lesson.report.numbers"));
  const FontScope font(ui, TextStyle::body);
  const TableColors colors(ui);
  constexpr ImGuiTableFlags kFlags =
      ImGuiTableFlags_BordersInnerH | ImGuiTableFlags_PadOuterX | ImGuiTableFlags_SizingStretchProp;
  const auto columns = lessons::columns_of(shown.lesson, shown.tier);
  if (!ImGui::BeginTable("###lesson_numbers", static_cast<int>(columns.size()) + 2, kFlags,
                         {ImGui::GetContentRegionAvail().x - ui.px(16), 0})) {
    return;
  }
  ImGui::TableSetupColumn(ui.texts("lesson.report.number"), ImGuiTableColumnFlags_WidthStretch,
                          2.4F);
  ImGui::TableSetupColumn(ui.texts("lesson.report.guess"), ImGuiTableColumnFlags_WidthStretch, 1);
  for (const lessons::Column column : columns) {
    ImGui::TableSetupColumn(ui.texts(std::string("lesson.report.") + to_string(column)),
                            ImGuiTableColumnFlags_WidthStretch, 1);
  }
  table_headings([](int column) { return column > 0; });
  const lessons::Lesson& lesson = shown.lesson;
  for (std::size_t i = 0; i < lesson.values.size(); ++i) {
    const lessons::Value& value = lesson.values[i];
    if (!lessons::in_tier(lesson, shown.tier, value)) continue;
    ImGui::TableNextRow();
    ImGui::TableNextColumn();
    wrapped_text(ui, TextStyle::body, ui.theme.text, words(ui, value.label), 0);
    const bool asked = lesson.question && lesson.question->value == value.id && shown.guess &&
                       !shown.guess->choice;
    right_aligned_column(asked ? text_of(lesson, *shown.guess, ui.texts.language()) : "");
    for (const lessons::Column column : columns) {
      const auto& number = shown.findings.values[i].in(column);
      right_aligned_column(number ? lessons::text_of(*number, &value) : text::kNoNumber);
    }
    if (value.published) tooltip(ui, value.published->source);
  }
  ImGui::EndTable();
  const LessonFigure figure{.theme = ui.theme,
                            .metrics = ui.metrics,
                            .texts = ui.texts,
                            .lesson = lesson,
                            .tier = shown.tier,
                            .findings = shown.findings,
                            .guess = shown.guess};
  const float height = lesson_figure_height(figure);
  if (height <= 0) return;
  ImGui::Dummy({0, ui.px(8)});
  const ImVec2 at = ImGui::GetCursorScreenPos();
  const float width = std::min(ImGui::GetContentRegionAvail().x - ui.px(16), ui.px(900));
  ImGuiSink sink(*ImGui::GetWindowDrawList(), ui.faces, ui.metrics.scale);
  draw_lesson_figure(sink, {at.x, at.y, at.x + width, at.y + height}, figure);
  ImGui::Dummy({width, height});
}

void draw_check(const Ui& ui, const LessonShown& shown, const lessons::CheckFinding& finding) {
  const lessons::Check& check = shown.lesson.checks[finding.check];
  const bool passed = finding.state == CheckState::passed;
  const bool failed = finding.state == CheckState::failed;
  const Color color = passed ? ui.theme.ok : failed ? ui.theme.bad : ui.theme.text2;
  ImGui::TableNextRow();
  ImGui::TableNextColumn();
  text(ui, TextStyle::body, color,
       std::string(passed   ? kDone
                   : failed ? kCross
                            : kOpen) +
           "  " + ui.texts(std::string("lesson.check.") + to_string(finding.state)));
  ImGui::TableNextColumn();
  wrapped_text(ui, TextStyle::body, ui.theme.text, words(ui, check.text), 0);
  const std::string why = lessons::filled(shown.lesson, shown.findings, words(ui, check.why));
  if (!why.empty()) wrapped_text(ui, TextStyle::small, ui.theme.text2, why, 0);
  const lessons::Value* const value = check.number.kind == lessons::Expression::Kind::reference
                                          ? shown.lesson.value(check.number.reference.of)
                                          : nullptr;
  right_aligned_column(finding.number ? lessons::text_of(*finding.number, value) : text::kNoNumber);
  right_aligned_column(lessons::bound_of(shown.lesson, finding));
}

void draw_checks(const Ui& ui, const LessonShown& shown) {
  const auto& checks = shown.findings.checks;
  if (checks.empty()) return;
  heading(ui, ui.texts("lesson.report.checks"),
          std::to_string(shown.findings.passed()) + " / " + std::to_string(checks.size()));
  const FontScope font(ui, TextStyle::body);
  const TableColors colors(ui);
  constexpr ImGuiTableFlags kFlags =
      ImGuiTableFlags_BordersInnerH | ImGuiTableFlags_PadOuterX | ImGuiTableFlags_SizingStretchProp;
  if (ImGui::BeginTable("###lesson_checks", 4, kFlags,
                        {ImGui::GetContentRegionAvail().x - ui.px(16), 0})) {
    ImGui::TableSetupColumn("###state", ImGuiTableColumnFlags_WidthStretch, 0.8F);
    ImGui::TableSetupColumn("###text", ImGuiTableColumnFlags_WidthStretch, 3.2F);
    ImGui::TableSetupColumn("###number", ImGuiTableColumnFlags_WidthStretch, 1);
    ImGui::TableSetupColumn("###bound", ImGuiTableColumnFlags_WidthStretch, 1.2F);
    for (const lessons::CheckFinding& one : checks) draw_check(ui, shown, one);
    ImGui::EndTable();
  }
}

void draw_answers(const Ui& ui, LessonEdit& edit, const LessonShown& shown, LessonRequests& asked) {
  if (shown.lesson.answers.empty()) return;
  heading(ui, ui.texts("lesson.report.answers"));
  const FontScope font(ui, TextStyle::body);
  for (const lessons::FreeAnswer& one : shown.lesson.answers) {
    wrapped_text(ui, TextStyle::body, ui.theme.text, words(ui, one.text));
    const std::string id = "###lesson_answer_" + one.id;
    const float width = ImGui::GetContentRegionAvail().x - ui.px(16);
    if (ImGui::InputTextMultiline(id.c_str(), &edit.answers[one.id],
                                  {width, ui.px(22) * static_cast<float>(one.lines) + ui.px(8)},
                                  ImGuiInputTextFlags_WordWrap)) {
      asked.answered = one.id;
    }
    if (ImGui::IsItemDeactivatedAfterEdit()) asked.keep = true;
    if (edit.key && !one.expected.empty()) {
      wrapped_text(ui, TextStyle::body, ui.theme.ok,
                   ui.texts("lesson.expected", {{"answer", words(ui, one.expected)}}));
    }
  }
}

// Draws the answers that a teacher expects. Nobody else sees them by accident.
void draw_key(const Ui& ui, LessonEdit& edit, const LessonShown& shown) {
  ImGui::Dummy({0, ui.px(4)});
  const float width = ui.px(260);
  toggle(ui, "###lesson_key", ui.texts("lesson.key"), edit.key, width);
  tooltip(ui, ui.texts("lesson.key_hint"));
  const auto& question = shown.lesson.question;
  if (!edit.key || !question || !shown.findings.answer) return;
  paragraph(ui, lessons::filled(shown.lesson, shown.findings, words(ui, question->after)),
            ui.theme.ok);
}

void draw_handed_in(const Ui& ui, const LessonShown& shown, LessonRequests& asked) {
  heading(ui, ui.texts("lesson.report.files"));
  for (const lessons::Deliverable& one : shown.lesson.deliverables) {
    const lessons::Step* const step = shown.lesson.step(one.step);
    const auto& plan = step->plans[static_cast<std::size_t>(shown.tier)];
    if (!plan) continue;
    const auto files = lessons::files_of(plan->kind);
    if (std::ranges::find(files, one.file) == files.end()) continue;
    const bool there = shown.finished.contains(one.step);
    text(ui, TextStyle::body, there ? ui.theme.text : ui.theme.text2,
         std::string(there ? kDone : kOpen) + "  " + words(ui, one.text));
  }
  ImGui::Dummy({0, ui.px(4)});
  if (button(ui, "###lesson_save", kSave, ui.texts("lesson.save"), "Ctrl+S",
             shown.finished.empty() ? ButtonKind::plain : ButtonKind::primary)) {
    asked.save = true;
  }
  ImGui::Dummy({0, ui.px(16)});
}

}  // namespace

bool numbers_are_shown(const LessonShown& shown) {
  return !shown.lesson.question || shown.guess.has_value();
}

void draw_lesson(const Ui& ui, LessonEdit& edit, const LessonShown& shown, LessonRequests& asked) {
  draw_head(ui, shown, asked);
  heading(ui, ui.texts("lesson.report.task"));
  paragraph(ui, words(ui, shown.lesson.task), ui.theme.text);
  if (shown.errors != nullptr) {
    if (auto lesson = draw_error_list(ui, *shown.errors, shown.lesson.rows))
      asked.open = std::move(lesson);
  }
  draw_question(ui, edit, shown, asked);
  draw_key(ui, edit, shown);
  draw_steps(ui, shown, asked);
  if ((edit.key || numbers_are_shown(shown)) && !shown.finished.empty()) {
    draw_numbers(ui, shown);
    draw_checks(ui, shown);
    for (const std::size_t index : shown.findings.sentences) {
      ImGui::Dummy({0, ui.px(4)});
      const std::string& said = words(ui, shown.lesson.sentences[index].text);
      paragraph(ui, lessons::filled(shown.lesson, shown.findings, said), ui.theme.text);
    }
  }
  draw_answers(ui, edit, shown, asked);
  draw_handed_in(ui, shown, asked);
}

}  // namespace ts::views
