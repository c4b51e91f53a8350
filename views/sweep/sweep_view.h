#pragma once

#include <optional>
#include <span>
#include <string>
#include <utility>

#include "core/base/message.h"
#include "views/common/ui.h"
#include "views/sweep/sweep_figure.h"

namespace ts::views {

// What the sweep page shows in a frame.
struct SweepPage {
  const sweep::Sweep* sweep = nullptr;  // null: none was started
  bool paused = false;
  bool idle = true;
  bool predicting = false;   // dry runs go on
  base::Message problem;     // of the journal; empty: none
  std::string settings_key;  // that shows what the sweep varies; empty: it stands at the left
  std::string now;           // what the running point is doing
  // Of which settings the results are, where they are not those of now (stale_sweep).
  std::string stale = {};
  std::span<const sweep::ReferenceSeries> references = {};
  SweepAnalysisCache* analysis = nullptr;
};

// What the page remembers from one frame to the next.
struct SweepPageState {
  SweepStyle look;
  SweepChart menu = SweepChart::time;        // whose menu is open
  std::optional<std::size_t> compare_first;  // chosen to be compared with the next one
};

// What the user asked for.
struct SweepRequests {
  bool pause = false, resume = false, cancel = false, save = false;
  bool copy = false;                 // the table
  std::optional<std::size_t> open;   // show the run of this point
  std::optional<std::size_t> rerun;  // run it again
  std::optional<std::pair<std::size_t, std::size_t>> compare;
  std::optional<SweepChart> save_chart;  // alone, as PNG, SVG and CSV
  std::string clipboard;                 // data or SVG of a chart; empty: nothing
};

// Progress and buttons, the figure, and the table of all points, in the current window.
SweepRequests draw_sweep_page(const Ui& ui, const SweepPage& page, SweepPageState& state);

// The settings of the sweep that are set otherwise now, as difference_words() has them: not those
// that it varies. `offered` is what would be begun now; where that varies the same settings its
// base counts in place of `now`, as a preset of a sweep sets some by itself; where it varies
// others, what `shown` varies comes first.
std::string stale_sweep(const sweep::SweepSpec& shown,
                        const std::optional<sweep::SweepSpec>& offered,
                        const spec::WorkloadSpec& now, const text::Texts& texts);

// Points in the order of the table: along the axes, the series of a place together.
std::vector<std::size_t> table_order(const sweep::Sweep& sweep);

// What the table says: its headings, then its rows.
std::vector<std::vector<std::string>> table_words(const sweep::Sweep& sweep,
                                                  const text::Texts& texts);

// "T 64 to 512, B 1 to 4; naive, flash", or "5 series" where they are many.
std::string sweep_range_words(const sweep::SweepSpec& spec, const text::Texts& texts);

// How a sweep is begun where there is none.
std::string no_sweep_words(const SweepPage& page, const text::Texts& texts);

// What a sweep that neither runs nor predicts is waiting for: nothing, to be resumed, its turn.
std::string sweep_state_words(const sweep::Sweep& sweep, bool paused, const text::Texts& texts);

// Of the bar of a sweep: as wide as is wanted, less where the words beside it would be cut off. In
// `room`, which both share; `unit`: pixels at scale 1.
float progress_width(float wanted, float room, float words, float unit);

// The table alone: `open`, `rerun` and `compare` of the wishes.
void draw_sweep_table(const Ui& ui, const sweep::Sweep& sweep, SweepPageState& state,
                      SweepRequests& requests);

// What a chart's menu offers, in the window of the charts. `asked` opens it for the chart that the
// mouse is in.
void draw_chart_menu(const Ui& ui, const SweepFigure& figure, bool asked, const SweepHit& hit,
                     SweepPageState& state, SweepRequests& requests);

}  // namespace ts::views
