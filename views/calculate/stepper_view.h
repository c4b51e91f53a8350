#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "core/stepper/stepper.h"
#include "views/calculate/stepper_picture.h"
#include "views/common/ui.h"

namespace ts::views {

// The steppers: a list to choose one, its numbers with sliders at the left, the picture of a step
// at the right, and below it the buttons and the slider that go through the steps. Keys while it
// has the focus: left, right or page up, page down for a step, Space to play, Home and End. Keeps
// the numbers of all. UI thread.
class StepperView {
 public:
  // The card whose shared memory the tiles are held against, and how it is chosen.
  struct Card {
    std::string name;
    std::optional<std::int64_t> limit;  // bytes that a block can have
    std::function<void(float width)> draw_select;
  };
  using Drawn =
      std::function<void(DrawSink&, const Rect&, const Theme&, Metrics, const text::Texts&)>;
  struct Asked {
    bool picture = false;  // save it, drawn by draw_picture()
  };

  StepperView();
  Asked draw(const Ui& ui, const Card& card);
  // Draws the current picture into any area. A copy: usable after this view is gone.
  [[nodiscard]] Drawn drawn(const Card& card) const;

  // It goes on by itself: the window draws frames.
  [[nodiscard]] bool playing() const { return playing_; }
  // It had the keyboard in the last frame: Space plays, and starts no run.
  [[nodiscard]] bool has_keys() const { return has_keys_; }
  [[nodiscard]] const stepper::Stepper& shown() const;
  [[nodiscard]] std::size_t step() const { return step_; }
  // Tiled attention with the numbers of these inputs that it has, each within its range.
  void show_tiles(const calculate::Chosen& from);
  void closed();  // stops playing and gives the keys back

 private:
  void choose(std::size_t stepper);
  void begin_walk();
  void go_to(std::size_t step);
  void take_keys();
  void play_on();
  void draw_head(const Ui& ui, const Card& card, Asked& asked);
  void draw_transport(const Ui& ui);
  void draw_step_slider(const Ui& ui, float width);
  [[nodiscard]] std::size_t last() const { return stepper::steps_of(walk_) - 1; }
  [[nodiscard]] std::optional<stepper::TileFit> fit(const Card& card) const;

  std::vector<calculate::Chosen> numbers_;  // one for each stepper
  std::size_t shown_ = 0;
  stepper::Walk walk_;
  std::size_t step_ = 0;
  bool playing_ = false;
  bool has_keys_ = false;
  bool inputs_focused_ = false;  // arrow keys belong to the sliders
  double next_ = 0;              // seconds, of the next step while it plays
  base::Message problem_;        // why the last typed number was not taken; empty: it was
};

}  // namespace ts::views
