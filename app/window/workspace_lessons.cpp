// The page of lessons.
#include <imgui.h>

#include <algorithm>
#include <cmath>

#include "app/lessons/lesson_session.h"
#include "app/session/catalogue.h"
#include "app/window/page_windows.h"
#include "app/window/workspace.h"
#include "views/common/widgets.h"
#include "views/lessons/lesson_page.h"

namespace ts::app {
namespace {

views::LessonShown shown_of(const LessonRunner& runner) {
  views::LessonShown shown{.lesson = runner.lesson(),
                           .tier = runner.tier(),
                           .findings = runner.findings(),
                           .guess = runner.guess()};
  for (const auto& [id, document] : runner.documents()) shown.finished.insert(id);
  if (const lessons::Step* const step = runner.current()) shown.current = step->id;
  shown.running = runner.running();
  shown.fraction = runner.fraction();
  shown.seconds_left = runner.seconds_left();
  shown.problem = runner.problem();
  for (const lessons::Step& step : runner.lesson().steps) {
    const auto& plan = step.plans[static_cast<std::size_t>(runner.tier())];
    if (plan && !plan->gpu.empty()) shown.card = plan->gpu;
  }
  return shown;
}

}  // namespace

void Workspace::start_lesson() {
  if (state_->lessons->shown() == nullptr) return;
  if (measures_sweep()) {
    notify((*texts_)("note.sweep_measures"));
    return;
  }
  tell(state_->lessons->start());
}

void Workspace::carry_out(const views::LessonRequests& asked, Requests& requests) {
  LessonSession& lessons = *state_->lessons;
  if (asked.open) {
    if (const lessons::Lesson* const one = lessons.find(*asked.open)) {
      lessons.open(*session_, *one);
    }
    return;
  }
  LessonRunner* const runner = lessons.shown();
  if (runner == nullptr) return;
  if (asked.tier) lessons.open(*session_, lessons::Lesson(runner->lesson()), asked.tier);
  if (asked.guess) {
    const auto set = runner->set_guess(*asked.guess);
    tell(set);
    if (set) lessons.keep();
  }
  if (asked.answered) {
    runner->set_answer(*asked.answered, lessons.edit.answers[*asked.answered].data());
  }
  if (asked.keep) lessons.keep();
  if (asked.start) start_lesson();
  if (asked.cancel) lessons.cancel();
  if (asked.save) save_lesson(requests);
}

void Workspace::save_lesson(Requests& requests) {
  state_->lessons->keep();
  requests.lesson = true;
}

void Workspace::draw_lessons(const views::Ui& ui, Requests& requests) {
  LessonSession& lessons = *state_->lessons;
  if (lessons.shown() == nullptr) lessons.open_next(*session_);
  const PageArea area = page_area(ui, false);
  const float left = std::floor(std::min(ui.px(380), area.size.x * 0.34F));
  views::LessonRequests asked;
  ImGui::SetNextWindowPos(area.origin);
  ImGui::SetNextWindowSize({left, area.size.y});
  ImGui::PushStyleVar(ImGuiStyleVar_WindowPadding, ImVec2(0, 0));
  const bool listed = ImGui::Begin("###lesson_gallery", nullptr, kFixedFlags | kUnmovingFlags);
  ImGui::PopStyleVar();
  if (listed) {
    const auto cards = lessons.cards();
    views::draw_lesson_gallery(ui, lessons.edit, cards, built_in_rows(), asked);
  }
  ImGui::End();
  ImGui::SetNextWindowPos({area.origin.x + left, area.origin.y});
  ImGui::SetNextWindowSize({area.size.x - left, area.size.y});
  ImGui::PushStyleVar(ImGuiStyleVar_WindowPadding, ImVec2(ui.px(24), ui.px(16)));
  if (ImGui::Begin("###lesson_page", nullptr, kFixedFlags)) {
    views::left_edge(ui);
    if (const LessonRunner* const runner = lessons.shown()) {
      views::draw_lesson(ui, lessons.edit, shown_of(*runner), asked);
    }
  }
  ImGui::End();
  ImGui::PopStyleVar();
  carry_out(asked, requests);
}

}  // namespace ts::app
