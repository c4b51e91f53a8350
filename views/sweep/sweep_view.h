#pragma once

#include <optional>
#include <span>
#include <string>
#include <utility>

#include "core/base/message.h"
#include "views/common/ui.h"
#include "views/sweep/sweep_figure.h"

namespace ts::views {

// The data that the sweep page shows in a frame.
struct SweepPage {
  const sweep::Sweep* sweep = nullptr;  // null: none was started
  bool paused = false;
  bool idle = true;
  bool predicting = false;   // dry runs are in progress
  base::Message problem;     // of the journal; empty: none
  std::string settings_key;  // shows the varied settings; empty: they are at the left
  std::string now;           // activity of the running point
  // The settings of the results, if they differ from the current ones (stale_sweep).
  std::string stale = {};
  std::span<const sweep::ReferenceSeries> references = {};
  SweepAnalysisCache* analysis = nullptr;
};

// The state of the page that is kept from frame to frame.
struct SweepPageState {
  SweepStyle look;
  SweepChart menu = SweepChart::time;        // the chart of the open menu
  std::optional<std::size_t> compare_first;  // chosen to be compared with the next one
};

// Requests of the user.
struct SweepRequests {
  bool pause = false, resume = false, cancel = false, save = false;
  bool copy = false;                 // the table
  std::optional<std::size_t> open;   // show the run of this point
  std::optional<std::size_t> rerun;  // run it again
  std::optional<std::pair<std::size_t, std::size_t>> compare;
  std::optional<SweepChart> save_chart;  // alone, as PNG, SVG and CSV
  std::string clipboard;                 // data or SVG of a chart; empty: nothing
};

// Draws progress and buttons, the figure, and the table of all points, in the current window.
SweepRequests draw_sweep_page(const Ui& ui, const SweepPage& page, SweepPageState& state);

// The settings of the sweep that differ from the current ones, in the form of difference_text(),
// without those that it varies. `offered` is the sweep that would start now; null if none can. If
// it varies the same settings, its base replaces `now`, as a preset of a sweep sets some by itself;
// if it varies others, what `shown` varies comes first.
std::string stale_sweep(const sweep::SweepSpec& shown, const sweep::SweepSpec* offered,
                        const spec::WorkloadSpec& now, const text::Texts& texts);

// The points in the order of the table: along the axes, the series of a place together.
std::vector<std::size_t> table_order(const sweep::Sweep& sweep);

// The text of the table: its headings, then its rows.
std::vector<std::vector<std::string>> table_text(const sweep::Sweep& sweep,
                                                 const text::Texts& texts);

// "T 64 to 512, B 1 to 4; naive, flash", or "5 series" where they are many.
std::string sweep_range_text(const sweep::SweepSpec& spec, const text::Texts& texts);

// The words for starting a sweep if there is none.
std::string no_sweep_text(const SweepPage& page, const text::Texts& texts);

// The state of a sweep that neither runs nor predicts: waits for nothing, a resume, or its turn.
std::string sweep_state_text(const sweep::Sweep& sweep, bool paused, const text::Texts& texts);

// The current activity of a sweep: its problem, its prediction, the running point with the time
// left (an estimate, where there is one), else sweep_state_text().
std::string sweep_now_text(const SweepPage& page, const text::Texts& texts);

// The width of a sweep's progress bar: `wanted`, or less if the words beside it would be cut off.
// Both share `room`; `unit`: pixels at scale 1.
float progress_width(float wanted, float room, float words, float unit);

// Draws the table alone; sets `open`, `rerun` and `compare` of the requests.
void draw_sweep_table(const Ui& ui, const sweep::Sweep& sweep, SweepPageState& state,
                      SweepRequests& requests);

// Draws the menu of a chart in the window of the charts. `asked` opens it for the chart under the
// mouse.
void draw_chart_menu(const Ui& ui, const SweepFigure& figure, bool asked, const SweepHit& hit,
                     SweepPageState& state, SweepRequests& requests);

}  // namespace ts::views
