#include "app/pages/lessons_page.h"

#include <algorithm>
#include <cmath>

#include "app/session/catalogue.h"
#include "core/text/message.h"

namespace ts::app {
namespace {

views::LessonShown shown_of(const LessonRunner& runner) {
  views::LessonShown shown{.lesson = runner.lesson(),
                           .tier = runner.tier(),
                           .findings = runner.findings(),
                           .guess = runner.guess(),
                           .errors = &built_in_errors()};
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

void LessonsPage::start() {
  if (lessons().shown() == nullptr) return;
  if (runs().measures_sweep()) {
    notices().add(text::message("note.sweep_measures"));
    return;
  }
  notices().add_error(lessons().start());
}

void LessonsPage::carry_out(const views::LessonRequests& asked, Requests& requests) {
  if (asked.open) {
    if (const lessons::Lesson* const one = lessons().find(*asked.open)) {
      lessons().open(session(), *one);
    }
    return;
  }
  LessonRunner* const runner = lessons().shown();
  if (runner == nullptr) return;
  if (asked.tier) lessons().open(session(), lessons::Lesson(runner->lesson()), asked.tier);
  if (asked.guess) {
    const auto set = runner->set_guess(*asked.guess);
    notices().add_error(set);
    if (set) lessons().keep();
  }
  if (asked.answered) {
    runner->set_answer(*asked.answered, lessons().edit.answers[*asked.answered]);
  }
  if (asked.keep) lessons().keep();
  if (asked.start) start();
  if (asked.cancel) lessons().cancel();
  if (asked.save) save(requests);
}

void LessonsPage::save(Requests& requests) {
  lessons().keep();
  requests.lesson = true;
}

std::string LessonsPage::why_not_save() const {
  if (lessons().running()) return texts()("command.why.still_running");
  const LessonRunner* const lesson = lessons().shown();
  return unless(lesson != nullptr && lesson->steps_done() > 0, "command.why.no_lesson");
}

void LessonsPage::draw(const views::Ui& ui, Requests& requests) {
  if (lessons().shown() == nullptr) lessons().open_next(session());
  PageArea area = whole_page();
  const PageArea gallery = area.cut_left(std::floor(std::min(ui.px(380), area.size.x * 0.34F)));
  views::LessonRequests asked;
  draw_window(ui, {.id = "###lesson_gallery"}, gallery, [&] {
    const auto cards = lessons().cards();
    views::draw_lesson_gallery(ui, lessons().edit, cards, built_in_rows(), built_in_errors(),
                               asked);
  });
  const PageWindow page{
      .id = "###lesson_page", .padding = {ui.px(24), ui.px(16)}, .flags = kFixedFlags};
  draw_window(ui, page, area, [&] {
    if (const LessonRunner* const runner = lessons().shown())
      views::draw_lesson(ui, lessons().edit, shown_of(*runner), asked);
  });
  carry_out(asked, requests);
}

}  // namespace ts::app
