#pragma once

#include <cstdint>
#include <optional>

#include "views/charts/chart_input.h"
#include "views/charts/time_axis.h"
#include "views/charts/viewport.h"
#include "views/common/view_state.h"
#include "views/timeline/minimap.h"
#include "views/timeline/timeline_regions.h"

namespace ts::views {

// Converts mouse and key input over the timeline to moves of the visible range.
class TimelineGestures {
 public:
  struct Scene {
    TimelineRegions regions;
    TimeAxis axis;           // of ruler, tracks and counter
    base::TimeRange bounds;  // the full range
    float scroll_most = 0;   // how far the tracks can scroll down, pixels
    float scale = 1;
  };
  // The input that the chart must handle.
  struct Asked {
    bool click = false;  // over the plot, without a drag
    bool double_click = false;
    bool label_click = false;  // over the track labels
    bool fit = false;
    bool mark = false;
    bool clear = false;
  };
  Asked apply(const ChartInput& input, const Scene& scene, ViewState& state);

  // Moves smoothly. If the target is all of `bounds`: fit, and follow new data.
  void go_to(base::TimeRange target, base::TimeRange bounds, ViewState& state, std::int64_t now_ns);
  // Advances a move in progress. Call it once per frame, before making the axis.
  void advance(ViewState& state, base::TimeRange bounds, std::int64_t now_ns);

  [[nodiscard]] bool moving() const { return transition_.running(); }
  [[nodiscard]] bool dragging() const { return drag_ != Drag::none && moved_; }
  // The range of a box zoom while it is drawn.
  [[nodiscard]] std::optional<base::TimeRange> box() const { return box_; }
  [[nodiscard]] float scroll() const { return scroll_; }
  void set_scroll(float pixels) { scroll_ = pixels; }

 private:
  enum class Drag : std::uint8_t { none, pan, box, mark, brush, label };

  void begin_drag(const ChartInput& input, const Scene& scene);
  void continue_drag(const ChartInput& input, const Scene& scene, ViewState& state);
  void end_drag(const ChartInput& input, const Scene& scene, ViewState& state, Asked& asked);
  void wheel_and_keys(const ChartInput& input, const Scene& scene, ViewState& state);
  void show(base::TimeRange range, base::TimeRange bounds, ViewState& state);

  Transition transition_;
  Drag drag_ = Drag::none;
  bool moved_ = false;
  bool right_ = false;  // the drag uses the right button
  Point start_;
  base::TimeRange start_range_;
  Brush brush_;
  float start_scroll_ = 0;
  std::optional<base::TimeRange> box_;
  float scroll_ = 0;
};

}  // namespace ts::views
