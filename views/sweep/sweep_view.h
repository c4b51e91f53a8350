#pragma once

#include <optional>
#include <string>

#include "core/run/sweep.h"
#include "views/common/ui.h"

namespace ts::views {

// What the sweep page shows in a frame.
struct SweepPage {
  const run::Sweep* sweep = nullptr;  // null: none was started
  bool paused = false;
  bool idle = true;
  bool predicting = false;  // dry runs go on
  std::string problem;      // of the journal; empty: none
  std::string now;          // what the running point is doing
};

// What the user asked for.
struct SweepWishes {
  bool pause = false, resume = false, cancel = false, save = false;
  std::optional<std::size_t> open;  // show the run of this point
};

// Progress and buttons, the figure, and the table of all points, in the current window.
SweepWishes draw_sweep_page(const Ui& ui, const SweepPage& page);

// The table alone. Returns the point that was pressed.
std::optional<std::size_t> draw_sweep_table(const Ui& ui, const run::Sweep& sweep);

}  // namespace ts::views
