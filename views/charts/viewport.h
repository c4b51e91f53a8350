#pragma once

#include <cstdint>

#include "core/base/clock.h"

namespace ts::views {

// Moves of the visible time range. `bounds` is everything there is to see; the result always lies
// inside it and is never shorter than kShortestView (or than the bounds, where those are shorter).
inline constexpr std::int64_t kShortestView = 50;  // nanoseconds

// Inside the bounds, of an allowed length; the begin gives way.
base::TimeRange clamped(base::TimeRange view, base::TimeRange bounds);
// factor < 1 zooms in. The anchor keeps its place on the screen as far as the bounds allow.
base::TimeRange zoomed(base::TimeRange view, std::int64_t anchor_ns, double factor,
                       base::TimeRange bounds);
base::TimeRange panned(base::TimeRange view, std::int64_t by_ns, base::TimeRange bounds);
// The range with a margin of `part` of its length on each side: where a fit to it goes.
base::TimeRange with_margin(base::TimeRange range, double part, base::TimeRange bounds);

// A short move from one range to another, monotonic and without overshoot. Where the eye should
// follow (fit, zoom to a slice, next hit) the view goes there in kDuration; whatever the user does
// by hand is immediate and ends it.
class Transition {
 public:
  static constexpr std::int64_t kDuration = 140'000'000;  // nanoseconds

  void start(base::TimeRange from, base::TimeRange to, std::int64_t now_ns);
  void stop() { running_ = false; }
  [[nodiscard]] bool running() const { return running_; }
  [[nodiscard]] base::TimeRange target() const { return to_; }
  // The range to show now; ends the move when its time is over.
  base::TimeRange at(std::int64_t now_ns);

 private:
  bool running_ = false;
  base::TimeRange from_;
  base::TimeRange to_;
  std::int64_t begin_ns_ = 0;
};

}  // namespace ts::views
