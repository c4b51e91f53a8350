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
    base::TimeRange bounds;
    float scale = 1;
  };
  struct Asked {
    std::optional<base::TimeRange> show;   // at once
    std::optional<base::TimeRange> go_to;  // smoothly
    bool click = false;
    bool double_click = false;
    bool fit = false;
    bool mark = false;
    bool clear = false;
  };
  Asked apply(const ChartInput& input, const Scene& scene);

  [[nodiscard]] bool dragging() const { return drag_ != Drag::none && moved_; }
  [[nodiscard]] std::optional<base::TimeRange> box() const { return box_; }

 private:
  enum class Drag : std::uint8_t { none, pan, box };
  void drag(const ChartInput& input, const Scene& scene, Asked& asked);
  void wheel_and_keys(const ChartInput& input, const Scene& scene, Asked& asked) const;

  Drag drag_ = Drag::none;
  bool moved_ = false;
  bool right_ = false;
  Point start_;
  base::TimeRange start_range_;
  std::optional<base::TimeRange> box_;
};

}  // namespace ts::views
