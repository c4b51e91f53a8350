#pragma once

#include <cstdint>
#include <optional>

#include "views/charts/chart_input.h"
#include "views/charts/time_axis.h"
#include "views/charts/viewport.h"

namespace ts::views {

// Converts mouse and key input over the memory plot to moves of its range, in whole numbers of the
// axis (memory_axis.h). The chart decides which range changes: its own or the timeline's.
class MemoryGestures {
 public:
  struct Scene {
    Rect plot;
    TimeAxis axis;
    TimeAxis map;  // of the bounds, where `map_area` is
    Rect map_area;
    base::TimeRange bounds;
    base::TimeRange bytes;  // in view, and all that there is to see of them
    base::TimeRange byte_bounds;
    float scale = 1;
  };
  struct Asked {
    std::optional<base::TimeRange> show;   // at once
    std::optional<base::TimeRange> go_to;  // smoothly
    std::optional<base::TimeRange> show_bytes;
    std::optional<base::TimeRange> go_to_bytes;
    bool click = false;
    bool double_click = false;
    bool fit = false;
    bool mark = false;
    bool clear = false;
  };
  Asked apply(const ChartInput& input, const Scene& scene);

  [[nodiscard]] bool dragging() const { return drag_ != Drag::none && moved_; }
  [[nodiscard]] std::optional<Rect> box() const { return box_; }

 private:
  enum class Drag : std::uint8_t { none, pan, box, brush };
  void drag(const ChartInput& input, const Scene& scene, Asked& asked);
  void finish_box(const Scene& scene, Asked& asked) const;
  static void wheel_and_keys(const ChartInput& input, const Scene& scene, Asked& asked);
  static void move_bytes(const ChartInput& input, const Scene& scene, Asked& asked);

  Drag drag_ = Drag::none;
  bool moved_ = false;
  bool right_ = false;
  Point start_;
  base::TimeRange start_range_;
  base::TimeRange start_bytes_;
  Brush brush_;
  std::optional<Rect> box_;
};

}  // namespace ts::views
