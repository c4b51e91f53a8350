#pragma once

#include <cstdint>

#include "core/base/clock.h"
#include "views/charts/time_axis.h"

namespace ts::views {

// Moves of the visible time range. `bounds` is the full range. The result always lies inside it and
// is never shorter than kShortestView (or than the bounds, if those are shorter).
inline constexpr std::int64_t kShortestView = 50;  // nanoseconds

// Limits the view to an allowed length and moves it into the bounds.
base::TimeRange clamped(base::TimeRange view, base::TimeRange bounds);
// factor < 1 zooms in. The anchor keeps its screen position as far as the bounds allow.
base::TimeRange zoomed(base::TimeRange view, std::int64_t anchor_ns, double factor,
                       base::TimeRange bounds);
base::TimeRange panned(base::TimeRange view, std::int64_t by_ns, base::TimeRange bounds);
// The range with a margin of `part` of its length on each side, as the target of a fit.
base::TimeRange with_margin(base::TimeRange range, double part, base::TimeRange bounds);

// A drag on a map of the whole range: an end of the part in view, or all of it. Beside that part it
// begins with a jump there.
enum class BrushPart : std::uint8_t { outside, inside, begin, end };
struct Brush {
  BrushPart part = BrushPart::outside;
  base::TimeRange from;  // in view when it began
};
BrushPart brush_part_at(float x, float brush_x0, float brush_x1, float reach);
Brush brush_at(float x, const TimeAxis& map, base::TimeRange view, float reach);
// The range in view after the mouse moved by dx on the map, whose range is the bounds.
base::TimeRange brushed(const Brush& brush, float dx, const TimeAxis& map);

// A short move from one range to another, monotonic and without overshoot. Fit, zoom to a slice and
// next hit take kDuration, so that the eye can follow. Manual moves are immediate and end a move in
// progress.
class Transition {
 public:
  static constexpr std::int64_t kDuration = 140'000'000;  // nanoseconds

  void start(base::TimeRange from, base::TimeRange to, std::int64_t now_ns);
  void stop() { running_ = false; }
  [[nodiscard]] bool running() const { return running_; }
  [[nodiscard]] base::TimeRange target() const { return to_; }
  // The range to show now. Ends the move when its time is over.
  base::TimeRange at(std::int64_t now_ns);

 private:
  bool running_ = false;
  base::TimeRange from_;
  base::TimeRange to_;
  std::int64_t begin_ns_ = 0;
};

}  // namespace ts::views
