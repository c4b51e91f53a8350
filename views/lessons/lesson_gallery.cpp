#include <imgui.h>
#include <imgui_stdlib.h>

#include <string>

#include "core/base/letters.h"
#include "core/text/numbers.h"
#include "views/charts/chart_text.h"
#include "views/charts/icons.h"
#include "views/common/imgui_sink.h"
#include "views/common/widgets.h"
#include "views/lessons/error_list.h"
#include "views/lessons/lesson_page.h"

namespace ts::views {
namespace {

constexpr const char* kDoneMark = "\xef\x80\x8c";  // check
constexpr const char* kOpenMark = "";              // a circle that is drawn
constexpr const char* kHalfMark = "\xef\x81\x82";  // half a circle
constexpr float kCardHeight = 92;                  // at scale 1

bool matches(const lessons::Lesson& lesson, text::Language language, const std::string& wanted) {
  std::string all = lesson.title.in(language) + " " + lesson.summary.in(language) + " " + lesson.id;
  for (const std::string& row : lesson.rows) all.append(" ").append(row);
  return base::contains_letters(all, wanted);
}

// All steps ran and no question is open.
bool is_done(const LessonCard& card) {
  return card.steps > 0 && card.done >= card.steps && card.open == 0;
}

struct Status {
  const char* icon;
  std::string words;
  Color color;
};

Status status_of(const Ui& ui, const LessonCard& card) {
  if (card.done == 0 && !card.running) {
    return {kOpenMark, ui.texts("lesson.status.not_started"), ui.theme.text2};
  }
  if (is_done(card)) return {kDoneMark, ui.texts("lesson.status.done"), ui.theme.ok};
  if (card.done >= card.steps) {
    return {kHalfMark, ui.texts("lesson.status.open", {{"count", text::grouped(card.open)}}),
            ui.theme.accent};
  }
  return {kHalfMark,
          ui.texts("lesson.status.part",
                   {{"done", text::grouped(card.done)}, {"steps", text::grouped(card.steps)}}),
          ui.theme.accent};
}

void draw_card(const Ui& ui, const LessonCard& card, const std::string& errors,
               LessonRequests& asked) {
  const text::Language language = ui.texts.language();
  const ImVec2 at = ImGui::GetCursorScreenPos();
  const float width = ImGui::GetContentRegionAvail().x;
  const float height = ui.px(kCardHeight);
  if (press_area(("###lesson_" + card.lesson->id).c_str(), width, height)) {
    asked.open = card.lesson->id;
  }
  const bool hovered = ImGui::IsItemHovered();
  ImGuiSink sink(*ImGui::GetWindowDrawList(), ui.faces, ui.metrics.scale);
  const Rect area{at.x, at.y, at.x + width, at.y + height};
  sink.fill(area, card.chosen ? ui.theme.surface3 : hovered ? ui.theme.surface2 : ui.theme.surface);
  if (card.chosen) sink.fill({at.x, at.y, at.x + ui.px(3), at.y + height}, ui.theme.accent);
  sink.fill({at.x, at.y + height - 1, at.x + width, at.y + height}, ui.theme.line);
  const float room = width - ui.px(32);
  const float x = at.x + ui.px(16);
  sink.text({x, at.y + ui.px(12)}, TextStyle::body_strong, ui.theme.text,
            fitted(sink, TextStyle::body_strong, card.lesson->title.in(language), room));
  sink.text({x, at.y + ui.px(36)}, TextStyle::small, ui.theme.text2,
            fitted(sink, TextStyle::small, card.lesson->summary.in(language), room));
  const Status status = status_of(ui, card);
  const std::string minutes =
      ui.texts("lesson.minutes", {{"minutes", std::to_string(card.lesson->minutes)}});
  const float minutes_width = sink.text_width(TextStyle::small, minutes);
  if (*status.icon != '\0') {
    sink.text({x, at.y + ui.px(62)}, TextStyle::small, status.color, status.icon);
  } else {
    const float middle = at.y + ui.px(62) + sink.text_height(TextStyle::small) / 2;
    const float half = ui.px(5);
    sink.outline({x + ui.px(1), middle - half, x + ui.px(1) + 2 * half, middle + half},
                 status.color, ui.px(1), half);
  }
  sink.text({x + ui.px(20), at.y + ui.px(62)}, TextStyle::small, status.color, status.words);
  sink.text({at.x + width - ui.px(16) - minutes_width, at.y + ui.px(62)}, TextStyle::small,
            ui.theme.text2, minutes);
  // A badge for what the material has wrong.
  if (!errors.empty()) {
    const float left = x + ui.px(20) + sink.text_width(TextStyle::small, status.words) + ui.px(16);
    const float end = at.x + width - ui.px(32) - minutes_width;
    sink.text(
        {left, at.y + ui.px(62)}, TextStyle::small, ui.theme.warn,
        fitted(sink, TextStyle::small, std::string(icon::kWarning) + " " + errors, end - left));
  }
  focus_ring(ui);
}

// Exercises without a lesson are listed, not hidden.
void draw_rows(const Ui& ui, const lessons::RowCatalogue& rows,
               const lessons::MaterialErrors& errors, const std::string& wanted) {
  const text::Language language = ui.texts.language();
  std::int64_t count = 0;
  for (const lessons::Row& row : rows.rows) count += row.reason.empty() ? 0 : 1;
  ImGui::Dummy({0, ui.px(8)});
  ImGui::Indent(ui.px(16));
  const bool open =
      folded_section(ui, "###lesson_rows", ui.texts("lesson.rows"), text::grouped(count) + "   ");
  for (const lessons::Row& row : rows.rows) {
    const lessons::NamedText* const reason = rows.reason(row.reason);
    if (reason == nullptr) continue;
    const std::string title = row.id + "   " + row.title.in(language);
    if (wanted.empty() ? !open : !base::contains_letters(title, wanted)) continue;
    ImGui::Dummy({0, ui.px(6)});
    wrapped_text(ui, TextStyle::body, ui.theme.text, title);
    wrapped_text(ui, TextStyle::small, ui.theme.text2, reason->text.in(language));
    for (const lessons::MaterialError* const error : errors.of({&row.id, 1})) {
      wrapped_text(ui, TextStyle::small, ui.theme.warn,
                   error->id + "   " + error->correct.in(language));
    }
  }
  ImGui::Unindent(ui.px(16));
  ImGui::Dummy({0, ui.px(16)});
}

}  // namespace

void draw_lesson_gallery(const Ui& ui, LessonEdit& edit, std::span<const LessonCard> cards,
                         const lessons::RowCatalogue& rows, const lessons::MaterialErrors& errors,
                         LessonRequests& asked) {
  std::size_t done = 0;
  for (const LessonCard& card : cards) done += is_done(card) ? 1 : 0;
  ImGui::SetCursorPos({ui.px(16), ui.px(14)});
  text(ui, TextStyle::large, ui.theme.text, ui.texts("lesson.gallery"));
  ImGui::SetCursorPosX(ui.px(16));
  text(ui, TextStyle::small, ui.theme.text2,
       ui.texts("lesson.gallery_count",
                {{"count", text::grouped(cards.size())}, {"done", text::grouped(done)}}));
  ImGui::SetCursorPosX(ui.px(16));
  wrapped_text(ui, TextStyle::small, ui.theme.text3, ui.texts("lesson.about"));
  ImGui::SetCursorPosX(ui.px(16));
  ImGui::SetNextItemWidth(ImGui::GetContentRegionAvail().x - ui.px(16));
  bool entered = false;
  {
    const FontScope font(ui, TextStyle::body);
    entered = ImGui::InputTextWithHint("###lesson_search", ui.texts("lesson.search"), &edit.search,
                                       ImGuiInputTextFlags_EnterReturnsTrue);
  }
  ImGui::Dummy({0, ui.px(4)});
  const std::string& wanted = edit.search;
  ImGui::PushStyleVar(ImGuiStyleVar_ItemSpacing, ImVec2(0, 0));
  if (ImGui::BeginChild("###lesson_list", {0, 0}, ImGuiChildFlags_NavFlattened)) {
    bool any = false;
    for (const LessonCard& card : cards) {
      if (!matches(*card.lesson, ui.texts.language(), wanted)) continue;
      // Enter opens the first that is found.
      if (entered && !any && !wanted.empty()) asked.open = card.lesson->id;
      any = true;
      draw_card(ui, card, error_ids(errors, card.lesson->rows), asked);
    }
    if (!any) {
      ImGui::SetCursorPos({ui.px(16), ui.px(12)});
      text(ui, TextStyle::small, ui.theme.text3, ui.texts("lesson.none_found"));
    }
    draw_rows(ui, rows, errors, wanted);
  }
  ImGui::EndChild();
  ImGui::PopStyleVar();
}

}  // namespace ts::views
