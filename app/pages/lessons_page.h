#pragma once

#include <string>

#include "app/pages/page_view.h"
#include "views/lessons/lesson_page.h"

namespace ts::app {

// The page of lessons: the gallery at the left, the open lesson beside it.
class LessonsPage : public PageView {
 public:
  using PageView::PageView;

  void update() override { lessons().update(); }
  void draw(const views::Ui& ui, Requests& requests) override;
  void start() override;
  void save(Requests& requests) override;
  [[nodiscard]] std::string why_not_save() const override;
  [[nodiscard]] bool has_form() const override { return false; }

 private:
  [[nodiscard]] LessonSession& lessons() const { return *state().lessons; }
  void carry_out(const views::LessonRequests& asked, Requests& requests);
};

}  // namespace ts::app
