#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "core/base/clock.h"
#include "core/base/string_table.h"
#include "core/memory/active_memory_layout.h"
#include "core/predict/predictor.h"
#include "core/run/run.h"
#include "core/text/text.h"
#include "core/trace/trace_store.h"
#include "views/common/fonts.h"
#include "views/common/memory_source.h"
#include "views/common/theme.h"

namespace ts::files {
struct OpenedDevice;
struct OpenedFile;
struct OpenedTrace;
struct ReplayAnswer;
}  // namespace ts::files

namespace ts::views {

// What the charts of one run share: the visible time range, the cursor and the selection. Owned by
// the workspace; views read and change it, so that timeline, memory and inspector stay linked.
struct ViewState {
  base::TimeRange visible;                // timeline; empty: fit everything
  std::optional<std::int64_t> cursor_ns;  // follows the mouse over any chart
  std::optional<base::TimeRange> marked;  // M
  std::optional<trace::SliceRef> selected_slice;
  std::optional<trace::SliceRef> hovered_slice;
  std::optional<memory::BlockIndex> selected_block;
  std::optional<memory::BlockIndex> hovered_block;
  memory::Axis memory_axis = memory::Axis::time;
  // In place of it while Live is on: by events a prediction and the run after it lie on one axis.
  memory::Axis live_axis = memory::Axis::event;
  bool link_axes = true;  // the memory view shows the timeline's range
  bool color_by_allocation = false;
  std::uint32_t detail = 15000;
  std::string search;
  bool show_agreement = false;   // the sheet of predicted against measured is open
  bool memory_has_keys = false;  // W, S, A, D, F, M go to the chart the mouse was over last
};

// What a run that went well comes down to, kept for when it is no longer on screen.
struct RunFigures {
  run::RunId id = 0;  // 0: of none
  spec::WorkloadSpec spec;
  double step_ms = -1;
  std::optional<double> tokens_per_s;
  std::int64_t peak_bytes = 0;
};

// What every view gets each frame. Nothing here may be kept.
struct ViewContext {
  const run::Run* run = nullptr;  // null: nothing has run yet
  const base::StringTable& strings;
  const text::Texts& texts;
  const Theme& theme;
  Metrics metrics;
  ViewState& state;
  std::int64_t now_ns = 0;
  std::int64_t target_bytes = 0;  // capacity line; 0 none
  std::string target_name;
  const Fonts::Faces* faces = nullptr;  // for ImGuiSink; null in tests that draw into a recorder
  // What is predicted for the settings as they are now; null: nothing yet.
  const predict::Outlook* outlook = nullptr;
  // What was predicted of the allocations that the memory view shows; null: nothing.
  const predict::Forecast* forecast = nullptr;
  MemorySource memory{};  // of the memory view; without a log that of `run` (memory_source())
  // What is shown comes from a file: then `run` is that of the device. Null for a run of our own.
  const files::OpenedFile* file = nullptr;
  const files::OpenedDevice* file_device = nullptr;
  // What is shown is a trace from a file: then `run` is its own, and it has no `file`.
  const files::OpenedTrace* trace = nullptr;
  const files::ReplayAnswer* replayed = nullptr;  // of that device; null: not known yet
  // What is shown is of other settings than those of now, which it names: "naive, T = 512". Empty
  // where it is of these. Of `run`, and of what the memory view shows.
  std::string stale{};
  std::string stale_memory{};
  bool live = false;  // every change of the settings is run
  // The last run that went well with other settings than `run`, to be compared with; null: none.
  const RunFigures* earlier = nullptr;
  // In what `earlier` differs from the settings of now, as `stale` has it of `run`.
  std::string stale_earlier{};
};

}  // namespace ts::views
