#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "views/charts/chart_input.h"
#include "views/charts/title_row.h"
#include "views/charts/totals_index.h"
#include "views/common/view_state.h"
#include "views/timeline/counter_row.h"
#include "views/timeline/counter_strips.h"
#include "views/timeline/draw_tracks.h"
#include "views/timeline/lane_cache.h"
#include "views/timeline/marked_range.h"
#include "views/timeline/minimap.h"
#include "views/timeline/search_hits.h"
#include "views/timeline/timeline_gestures.h"
#include "views/timeline/timeline_regions.h"
#include "views/timeline/track_rows.h"

namespace ts::views {

// The timeline, independent of any toolkit: layout, input handling, drawing into a sink. Per frame,
// in this order: lay_out, update, draw.
class TimelineChart {
 public:
  // Buttons of the title row, in its order.
  enum Item : std::uint8_t { kSearch, kPrevious, kNext, kFit, kMark, kItemCount };

  void lay_out(const DrawSink& sink, const Rect& area, ViewContext& context);
  void update(const ChartInput& input, ViewContext& context);
  void draw(DrawSink& sink, const ViewContext& context);

  // Place of a button. Width 0 if it has no room or no function now.
  [[nodiscard]] Rect item(Item item) const;
  // The track whose label or row is there. Unset if there is none.
  [[nodiscard]] std::optional<trace::TrackId> track_at(Point place) const;
  // Toggles between all depths of a track in one row and one row per depth. Nothing for a track
  // with one depth.
  void fold(trace::TrackId track);
  // Next (1) or previous (-1) hit of the search.
  void step_search(int by, ViewContext& context);
  // Selects a slice next to the selected one: before (-1) or after it in its row, or at its time in
  // the row above (-1) or below. Without a selection, the first one in sight.
  void step_selection(int along, int down, ViewContext& context);
  // An animation is running: draw the next frame at once.
  [[nodiscard]] bool moving() const { return gestures_.moving() || lanes_.refining(); }
  [[nodiscard]] const TimelineRegions& regions() const { return regions_; }
  [[nodiscard]] float x_of(std::int64_t time_ns) const { return axis_.x_of(time_ns); }
  [[nodiscard]] std::string hit_text(const ViewContext& context) const;

 private:
  struct Hover {
    trace::VisibleSlice box;
    Rect rect;
  };

  void follow_run(const ViewContext& context);
  void lay_out_rows(const ViewContext& context);
  void follow_queues(const run::Run& run);
  void make_axis(const ViewContext& context);
  void lay_out_title(const DrawSink& sink, const ViewContext& context);
  void find_hover(const ChartInput& input, ViewContext& context);
  void answer(const TimelineGestures::Asked& asked, const ChartInput& input, ViewContext& context);
  void fit(ViewContext& context);
  void show_slice(trace::SliceRef ref, ViewContext& context);
  void mark(ViewContext& context);
  std::optional<Rect> rect_of(const ViewContext& context, trace::SliceRef ref) const;
  std::string range_text(const ViewContext& context) const;

  void draw_tracks(const TimelineDrawContext& drawing, const ViewContext& context);
  void draw_selection(const TimelineDrawContext& drawing, const ViewContext& context) const;
  void draw_queues(const TimelineDrawContext& drawing);
  void draw_queue_labels(const TimelineDrawContext& drawing) const;
  void draw_counters(const TimelineDrawContext& drawing);
  void draw_counter_labels(const TimelineDrawContext& drawing) const;
  void draw_strip_label(const TimelineDrawContext& drawing, const Rect& area, std::string_view name,
                        std::string_view values) const;
  [[nodiscard]] Rect strip_of(const TimelineDrawContext& drawing, const CounterBand& band) const;
  [[nodiscard]] Rect strip_of(const TimelineDrawContext& drawing, trace::TrackId track) const;
  void draw_counter_row(const TimelineDrawContext& drawing, const ViewContext& context);
  void draw_mark(const TimelineDrawContext& drawing, const ViewContext& context,
                 const Rect& label) const;
  Rect mark_label(const TimelineDrawContext& drawing, const ViewContext& context);
  void draw_overlays(const TimelineDrawContext& drawing, const ViewContext& context) const;
  void draw_read_out(const TimelineDrawContext& drawing, const ViewContext& context) const;
  void draw_scroll_bar(const TimelineDrawContext& drawing) const;

  std::uint64_t run_id_ = 0;
  bool has_run_ = false;
  TimelineRegions regions_;
  TitleRow title_;
  std::vector<LegendEntry> legend_;
  bool legend_row_ = false;  // in the last frame the title had no room for the legend
  std::string subtitle_;
  base::TimeRange bounds_;
  TimeAxis axis_;
  Ticks ticks_;
  TrackRows rows_;
  std::map<trace::TrackId, bool> folded_;  // chosen by the user
  LaneCache lanes_;
  std::vector<SliceBox> boxes_;  // of the current row
  Minimap minimap_;
  TotalsIndex totals_;
  std::vector<CounterColumn> counter_;
  struct Queue {
    std::vector<stats::QueuePoint> points;
    std::int64_t most = 0;
  };
  std::map<trace::TrackId, Queue> queues_;  // key: track of the device's idle times
  std::uint64_t queue_slices_ = 0;          // slice count at the last update
  std::vector<CounterStrip> strips_;        // of the trace's counters
  SearchHits search_;
  TimelineGestures gestures_;
  std::optional<Hover> hover_;
  Point mouse_;
  bool mouse_over_ = false;
  std::optional<base::TimeRange> marked_seen_;
  std::uint64_t marked_slices_ = 0;
  MarkedFacts marked_facts_;
  std::string mark_text_;
};

}  // namespace ts::views
