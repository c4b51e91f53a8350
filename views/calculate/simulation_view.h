#pragma once

#include <optional>
#include <vector>

#include "core/report/checks.h"
#include "core/simulate/experiment.h"
#include "views/calculate/outcome_parts.h"
#include "views/common/ui.h"

namespace ts::views {

// The simulations: a list to choose one, its numbers with sliders at the left, one of which may
// vary; its figures, a column for each number, the course's checks and the timeline of the first at
// the right. Keeps the numbers of all. UI thread.
class SimulationView {
 public:
  // The state of the newest experiment.
  struct Shown {
    const simulate::Experiment* experiment = nullptr;  // null: nothing was asked yet
    const std::vector<simulate::Point>* points = nullptr;
    const std::vector<std::vector<report::CheckResult>>* checks = nullptr;
    bool busy = false;
    base::Message problem;  // of the last file; else empty
  };
  struct Answer {
    std::optional<simulate::Experiment> ask;
    bool picture = false;   // save the timeline as a picture
    bool timeline = false;  // open the timeline as a trace
  };
  SimulationView();
  Answer draw(const Ui& ui, const Shown& shown);

 private:
  [[nodiscard]] const simulate::Simulation& simulation() const;
  void draw_head(const Ui& ui, const Shown& shown, Answer& answer);
  // From the numbers and what varies; an error is kept as problem_.
  std::optional<simulate::Experiment> experiment();

  std::vector<calculate::Chosen> numbers_;  // one for each simulation
  std::size_t shown_ = 0;
  VariedInput over_;
  bool asked_ = false;     // for the current numbers
  base::Message problem_;  // why the last typed number was not taken; empty: it was
};

}  // namespace ts::views
