#pragma once

#include <array>
#include <optional>

#include "core/advice/ladder.h"
#include "views/common/ui.h"

namespace ts::views {

// The advisor: what may change, the search with its progress, and a table of what fits, each row
// with a button that sets the controls; or, chosen at the top, the ladder of optimisations as a
// figure. Keeps what was chosen. UI thread.
class AdviceView {
 public:
  struct Shown {
    const advice::Advice* advice = nullptr;   // null: nothing was asked yet
    const advice::Ladder* ladder = nullptr;   // the same
    const advice::Rung* measuring = nullptr;  // the rung that is run now
    bool can_measure = false;                 // the rungs of the ladder can be run now
    bool busy = false;
    base::Message problem;  // why nothing can be asked now; else empty
    spec::WorkloadSpec settings;
    std::string card;
  };
  struct Answer {
    bool ask = false;
    bool cancel = false;
    bool measure = false;                     // run the rungs of the ladder
    bool picture = false;                     // save the figure of the ladder
    std::optional<spec::WorkloadSpec> tried;  // the settings of a row
  };
  Answer draw(const Ui& ui, const Shown& shown);

  [[nodiscard]] advice::RecipeSpace space() const;
  // For this machine instead of the card.
  [[nodiscard]] bool here() const { return device_ == 1; }
  // The question is the ladder.
  [[nodiscard]] bool ladder() const { return kind_ == 1; }

 private:
  void draw_head(const Ui& ui, const Shown& shown, Answer& answer);
  void draw_choices(const Ui& ui);
  void draw_advice(const Ui& ui, const Shown& shown, Answer& answer);

  int kind_ = 0;
  int device_ = 0;
  bool free_batch_ = false;
  // Type, attention, checkpoints, optimizer, batch: whether it may change.
  std::array<bool, 5> varied_ = {true, true, true, true, true};
};

}  // namespace ts::views
