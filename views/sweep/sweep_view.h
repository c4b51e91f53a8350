#pragma once

#include <optional>
#include <span>
#include <string>
#include <utility>

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
  SweepAnalysisCache* analysis = nullptr;
};

// What the page remembers from one frame to the next.
struct SweepPageState {
  SweepLook look;
  SweepChart menu = SweepChart::time;        // whose menu is open
  std::optional<std::size_t> compare_first;  // chosen to be compared with the next one
};

// What the user asked for.
struct SweepWishes {
  bool pause = false, resume = false, cancel = false, save = false;
  bool copy = false;                 // the table
  std::optional<std::size_t> open;   // show the run of this point
  std::optional<std::size_t> rerun;  // run it again
  std::optional<std::pair<std::size_t, std::size_t>> compare;
  std::optional<SweepChart> save_chart;  // alone, as PNG, SVG and CSV
  std::string clipboard;                 // data or SVG of a chart; empty: nothing
};

// Progress and buttons, the figure, and the table of all points, in the current window.
SweepWishes draw_sweep_page(const Ui& ui, const SweepPage& page, SweepPageState& state);

// The table alone: `open`, `rerun` and `compare` of the wishes.
void draw_sweep_table(const Ui& ui, const run::Sweep& sweep, SweepPageState& state,
                      SweepWishes& wishes);

// What a chart's menu offers, in the window of the charts. `asked` opens it for the chart that the
// mouse is in.
void draw_chart_menu(const Ui& ui, const SweepFigure& figure, bool asked, const SweepHit& hit,
                     SweepPageState& state, SweepWishes& wishes);

}  // namespace ts::views
