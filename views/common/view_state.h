#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "core/base/clock.h"
#include "core/base/string_table.h"
#include "core/blocks/block_hits.h"
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
struct ReservedMoment;
}  // namespace ts::files

namespace ts::views {

// The colours of blocks in the memory view and among the segments.
enum class BlockColors : std::uint8_t {
  category,
  stack,       // blocks that were allocated with the same stack share a colour
  allocation,  // each block has its own
};

// As the number of the largest blocks that are drawn individually: all.
inline constexpr std::uint32_t kAllBlocks = 0xFFFFFFFFU;

// Why more is reserved than was asked for: after so many events; unset: at a refusal or the peak.
struct ReservedQuestion {
  std::optional<std::size_t> position;
};

// A change of what blocks hold, as the user says.
struct CategoryRequest {
  memory::Category category = memory::Category::unknown;
  std::vector<memory::BlockIndex> blocks;
};

// State shared by the charts of one run: the visible time range, the cursor and the selection.
// Owned by the workspace. Views read and change it, so timeline, memory and inspector stay linked.
struct ViewState {
  // The run whose positions these are; charts forget those of another one. 0: not known.
  run::RunId of = 0;
  base::TimeRange visible;                // timeline; empty: fit everything
  std::optional<std::int64_t> cursor_ns;  // follows the mouse over any chart
  std::optional<base::TimeRange> marked;  // set with key M
  std::optional<trace::SliceRef> selected_slice;
  std::optional<trace::SliceRef> hovered_slice;
  std::optional<memory::BlockIndex> selected_block;
  std::optional<memory::BlockIndex> hovered_block;
  memory::Axis memory_axis = memory::Axis::time;
  // Replaces memory_axis while Live is on: by events, a prediction and the run after it share one
  // axis.
  memory::Axis live_axis = memory::Axis::event;
  bool link_axes = true;  // the memory view shows the timeline's range
  BlockColors block_colors = BlockColors::category;
  std::uint32_t detail = kAllBlocks;
  std::string search;
  blocks::BlockPicks picks;                  // of opened files, shown while nothing is searched for
  std::optional<CategoryRequest> corrected;  // of the file that is shown; carried out by the page
  std::optional<ReservedQuestion> reserved_question;  // of the file that is shown
  bool show_agreement = false;   // the sheet of predicted against measured is open
  bool memory_has_keys = false;  // W, S, A, D, F, M apply to the chart that the mouse was over last
};

// The figures of a successful run, kept after it leaves the screen.
struct RunFigures {
  run::RunId id = 0;  // 0: of none
  spec::WorkloadSpec spec;
  double step_ms = -1;
  std::optional<double> tokens_per_s;
  std::int64_t peak_bytes = 0;
};

// A device of another opened file, to compare with.
struct OtherRecording {
  std::string path;
  std::string name;                         // file, and device where there are several
  const files::OpenedFile* file = nullptr;  // null: see `reason`
  const files::OpenedDevice* device = nullptr;
  const files::OpenedTrace* trace = nullptr;  // beside a trace, in place of the two
  std::shared_ptr<const void> owner;          // of them
  std::string reason{};                       // why it cannot be compared; empty if it can
};

// Input of every view in each frame. Keep no reference to it.
struct ViewContext {
  const run::Run* run = nullptr;  // null: nothing has run yet
  const base::StringTable& strings;
  const text::Texts& texts;
  const Theme& theme;
  Metrics metrics;
  ViewState& state;
  std::int64_t now_ns = 0;
  std::int64_t target_bytes = 0;  // for the capacity line; 0: none
  std::string target_name = {};
  const Fonts::Faces* faces = nullptr;  // for ImGuiSink; null in tests that draw into a recorder
  // The prediction for the current settings. Null: none yet.
  const predict::Outlook* outlook = nullptr;
  // The prediction for the allocations that the memory view shows. Null: none.
  const predict::Forecast* forecast = nullptr;
  MemorySource memory{};  // for the memory view; no log: that of `run` (see memory_source())
  // Set if the view shows a file. Then `run` is that of the device. Null for a run of our own.
  const files::OpenedFile* file = nullptr;
  const files::OpenedDevice* file_device = nullptr;
  // Set if the view shows a trace file. Then `run` is that of the trace, and `file` is null.
  const files::OpenedTrace* trace = nullptr;
  std::span<const OtherRecording> others{};       // beside that of `file`
  const files::ReplayAnswer* replayed = nullptr;  // for that device; null: not known yet
  // To the newest question of the state that was answered; null: none yet.
  const files::ReservedMoment* reserved = nullptr;
  bool reserved_is_current = false;  // no newer question waits
  // The settings of what is shown if they differ from the current ones: "naive, T = 512". Empty if
  // they are the same. One for `run`, one for the memory view.
  std::string stale{};
  std::string stale_memory{};
  bool picture = false;  // one frame that is kept: nothing may stand in for what takes longer
  bool live = false;     // every change of the settings starts a run
  // The newer run of the same settings that was cancelled or failed, in whose place `run` is shown.
  // Null: `run` is the newest.
  const run::Run* cut_short = nullptr;
  // The last successful run with settings other than those of `run`, for comparison. Null: none.
  const RunFigures* earlier = nullptr;
  // How `earlier` differs from the current settings, in the form of `stale`.
  std::string stale_earlier{};
};

}  // namespace ts::views
