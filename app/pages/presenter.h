#pragma once

#include <cstddef>
#include <optional>
#include <string>

#include "app/pages/pages.h"
#include "views/lessons/demo_view.h"

namespace ts::app {

// A lecture: demos by one key each, and what a lecturer does with the picture. A demo asks first,
// then shows its picture on the page it belongs to, then the answer. Main thread.
class Presenter {
 public:
  Presenter(const PageServices& services, Pages& pages) : services_(services), pages_(&pages) {}

  // Why the picture of that built-in demo cannot be shown now; empty: it can.
  [[nodiscard]] std::string why_not(std::size_t demo) const;
  // Asks its question, on the projector.
  void show(std::size_t demo);
  // The demo that is shown; unset: none.
  [[nodiscard]] std::optional<std::size_t> demo() const;
  // Question, picture, answer, next demo; after the last one it leaves.
  void next();
  void back();
  // Stops what the demo runs. All that it changed is as before the first one; of the settings that
  // is one step of undo, which brings those of the lecture back.
  void leave();

  // Nothing is shown.
  bool blank = false;
  // Measuring goes on; the picture of it stands still.
  bool hold = false;

 private:
  void show_picture(const lessons::StepPlan& plan);
  void stop();
  // The settings that a demo changes. A demo that names no card uses the card of these settings.
  struct Before {
    bool projector = false;
    bool live = false;
    Page page = Page::run;
    std::optional<std::size_t> file;
    spec::WorkloadSpec spec;
    views::SweepEdit sweep_edit;
    views::HuntEdit hunt_edit;
    views::CompareEdit compare_edit;
  };
  [[nodiscard]] spec::WorkloadSpec spec_of(const lessons::StepPlan& plan) const;

  PageServices services_;
  Pages* pages_;
  std::optional<Before> before_;
  bool started_ = false;  // its picture was asked for and may still be measured
};

}  // namespace ts::app
