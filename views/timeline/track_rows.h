#pragma once

#include <cstddef>
#include <cstdint>
#include <set>
#include <vector>

#include "core/trace/trace_store.h"
#include "views/common/theme.h"

namespace ts::views {

// One nesting depth of a track. In a collapsed track all depths share one row, drawn over each
// other, so the row still shows what ran.
struct TrackRow {
  trace::TrackId track = 0;
  std::uint16_t depth = 0;
  float y = 0;  // from the top of all tracks, without scrolling
  float height = 0;
};

// A track: its label and its rows.
struct TrackBand {
  trace::TrackId track = 0;
  float y = 0;
  float height = 0;
  std::uint16_t depths = 0;
  bool collapsed = false;
  float strip = 0;  // height of the lowest part, a counter instead of slices; 0: none
};

// A strip for a counter of the trace, below all tracks.
struct CounterBand {
  std::size_t counter = 0;  // its place among the counters
  float y = 0;
  float height = 0;
};

struct TrackRows {
  std::vector<TrackBand> bands;
  std::vector<CounterBand> counters;
  std::vector<TrackRow> rows;  // by track, then depth
  float height = 0;

  [[nodiscard]] const TrackBand* band_at(float y) const;
  // The row of that depth of a track; null if there is none.
  [[nodiscard]] const TrackRow* row_of(trace::TrackId track, std::uint16_t depth) const;
};

// Tracks in the order phases, GPUs, CPU threads, autograd threads, CUDA API. Empty tracks are left
// out. Below the idle times of a GPU is a strip for its launch queue, below all tracks are as many
// for counters.
TrackRows lay_out_tracks(const trace::TraceStore& store, const std::set<trace::TrackId>& collapsed,
                         Metrics metrics, std::size_t counters = 0);

}  // namespace ts::views
