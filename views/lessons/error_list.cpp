#include "views/lessons/error_list.h"

#include <imgui.h>

#include "core/text/joined.h"
#include "views/charts/icons.h"
#include "views/common/widgets.h"

namespace ts::views {
namespace {

constexpr const char* kLessonCommand = "lesson run ";

std::optional<std::string> draw_error(const Ui& ui, const lessons::MaterialErrors& all,
                                      const lessons::MaterialError& error) {
  const text::Language language = ui.texts.language();
  std::optional<std::string> wanted;
  ImGui::Dummy({0, ui.px(6)});
  text(ui, TextStyle::body_strong, ui.theme.warn, std::string(icon::kWarning) + "  " + error.id);
  wrapped_text(ui, TextStyle::body, ui.theme.text2,
               ui.texts("lesson.error.published", {{"said", error.published.in(language)}}));
  wrapped_text(ui, TextStyle::body, ui.theme.text, error.correct.in(language));
  std::string evidence = all.kind(error.evidence)->text.in(language);
  if (!error.shown_by.empty()) evidence += "   tensorscope " + error.shown_by;
  wrapped_text(ui, TextStyle::small, ui.theme.text3, evidence);
  if (error.both) {
    const std::string id = "###both_" + error.id;
    if (text_button(ui, id.c_str(), "lesson.error.both", ButtonKind::plain))
      wanted = error.both->id;
    if (error.shown_by.starts_with(kLessonCommand)) ImGui::SameLine(0, ui.px(8));
  }
  if (error.shown_by.starts_with(kLessonCommand)) {
    const std::string lesson = error.shown_by.substr(std::string(kLessonCommand).size());
    const std::string id = "###open_" + error.id;
    if (text_button(ui, id.c_str(), "lesson.error.open", ButtonKind::plain)) wanted = lesson;
  }
  return wanted;
}

}  // namespace

std::string error_ids(const lessons::MaterialErrors& all, std::span<const std::string> rows) {
  return text::joined(all.of(rows), ", ", &lessons::MaterialError::id);
}

std::optional<std::string> draw_error_list(const Ui& ui, const lessons::MaterialErrors& all,
                                           std::span<const std::string> rows) {
  const auto errors = all.of(rows);
  std::optional<std::string> wanted;
  if (errors.empty()) return wanted;
  ImGui::Dummy({0, ui.px(6)});
  if (!folded_section(ui, "###lesson_errors", ui.texts("lesson.errors"),
                      error_ids(all, rows) + "   ")) {
    return wanted;
  }
  for (const lessons::MaterialError* const one : errors) {
    if (auto lesson = draw_error(ui, all, *one)) wanted = std::move(lesson);
  }
  return wanted;
}

}  // namespace ts::views
