#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "core/loader/lab_thread.h"
#include "views/calculate/outcome_parts.h"
#include "views/common/ui.h"

namespace ts::views {

// The loader's page: images or tokens, one's own folder or made, its numbers with sliders at the
// left, one of which may vary; at the right the answer: which of step and loader is the bottleneck,
// the figures, and workers and steps of the first number over time. Keeps what was chosen. UI
// thread.
class LoaderView {
 public:
  struct Shown {
    const loader::LabAnswers* known = nullptr;  // null: nothing was asked yet
    bool busy = false;
    loader::LabThread::Progress progress = {};
    base::Message problem = {};  // of the last file; else empty
  };
  struct Answer {
    std::optional<loader::LabRequest> ask;
    bool cancel = false;
    bool picture = false;   // save the timeline as a picture
    bool timeline = false;  // open the timeline as a trace
  };
  LoaderView();
  Answer draw(const Ui& ui, const Shown& shown);

 private:
  [[nodiscard]] const simulate::Simulation& subject() const;
  void draw_head(const Ui& ui, const Shown& shown, Answer& answer);
  void draw_choices(const Ui& ui);
  void draw_state(const Ui& ui, const Shown& shown) const;
  // An error is kept as problem_.
  std::optional<loader::LabRequest> request();

  std::vector<calculate::Chosen> numbers_;  // of each subject
  std::size_t subject_ = 0;
  VariedInput over_;
  std::string data_;       // the folder as it is typed; empty: made
  base::Message problem_;  // why the last typed number was not taken; empty: it was
};

}  // namespace ts::views
