#pragma once

#include <optional>
#include <span>
#include <string>

#include "views/common/ui.h"
#include "views/sweep/sweep_figure.h"

namespace ts::views {

// What the sweep page shows in a frame.
struct SweepPage {
  const run::Sweep* sweep = nullptr;  // null: none was started
  bool paused = false;
  bool idle = true;
  bool predicting = false;  // dry runs go on
  std::string problem;      // of the journal; empty: none
  std::string now;          // what the running point is doing
  std::span<const run::ReferenceSeries> references = {};
};

// What the user asked for.
struct SweepWishes {
  bool pause = false, resume = false, cancel = false, save = false;
  bool copy = false;                 // the table
  std::optional<std::size_t> open;   // show the run of this point
  std::optional<std::size_t> rerun;  // run it again
};

// Progress and buttons, the figure, and the table of all points, in the current window.
SweepWishes draw_sweep_page(const Ui& ui, const SweepPage& page, SweepLook& look);

// The table alone: `open` and `rerun` of the wishes.
void draw_sweep_table(const Ui& ui, const run::Sweep& sweep, SweepWishes& wishes);

}  // namespace ts::views
