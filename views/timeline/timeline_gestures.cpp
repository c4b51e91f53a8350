#include "views/timeline/timeline_gestures.h"

#include <algorithm>
#include <cmath>

namespace ts::views {
namespace {

constexpr float kClickReach = 4;          // pixels at scale 1 that still count as a click
constexpr double kWheelStep = 0.8;        // zoom of one notch
constexpr double kKeyZoomPerSecond = 5;   // natural logarithm
constexpr double kKeyPanPerSecond = 1.4;  // visible lengths
constexpr float kNotch = 63;              // three rows
constexpr float kBrushReach = 5;          // pixels at scale 1

base::TimeRange ordered(std::int64_t a, std::int64_t b) {
  return {std::min(a, b), std::max(a, b)};
}

TimeAxis map_axis(const TimelineGestures::Scene& scene) {
  return {scene.bounds, scene.regions.map.x0, scene.regions.map.x1};
}

}  // namespace

void TimelineGestures::show(base::TimeRange range, base::TimeRange bounds, ViewState& state) {
  transition_.stop();
  const base::TimeRange inside = clamped(range, bounds);
  state.visible = inside == bounds ? base::TimeRange{} : inside;
}

void TimelineGestures::go_to(base::TimeRange target, base::TimeRange bounds, ViewState& state,
                             std::int64_t now_ns) {
  const base::TimeRange from = state.visible.empty() ? bounds : state.visible;
  transition_.start(from, clamped(target, bounds), now_ns);
}

void TimelineGestures::advance(ViewState& state, base::TimeRange bounds, std::int64_t now_ns) {
  if (!transition_.running()) return;
  const base::TimeRange now = transition_.at(now_ns);
  const bool everything = !transition_.running() && clamped(now, bounds) == bounds;
  state.visible = everything ? base::TimeRange{} : now;
}

TimelineGestures::Asked TimelineGestures::apply(const ChartInput& input, const Scene& scene,
                                                ViewState& state) {
  Asked asked;
  if (drag_ == Drag::none && input.hovered && (input.left_pressed || input.right_pressed))
    begin_drag(input, scene);
  if (drag_ != Drag::none) {
    continue_drag(input, scene, state);
    const bool released = right_ ? !input.right_down : !input.left_down;
    if (released) end_drag(input, scene, state, asked);
  }
  if (input.double_clicked && input.hovered && scene.regions.plot.contains(input.mouse)) {
    asked.double_click = true;
    asked.click = false;
    drag_ = Drag::none;
  }
  wheel_and_keys(input, scene, state);
  asked.fit = input.fit;
  asked.mark = input.mark;
  asked.clear = input.clear;
  scroll_ = std::clamp(scroll_, 0.0F, std::max(0.0F, scene.scroll_most));
  return asked;
}

void TimelineGestures::begin_drag(const ChartInput& input, const Scene& scene) {
  const TimelineRegions& at = scene.regions;
  start_ = input.mouse;
  start_range_ = scene.axis.range;
  start_scroll_ = scroll_;
  moved_ = false;
  right_ = input.right_pressed;
  box_.reset();
  if (at.map.contains(input.mouse) && !right_) {
    drag_ = Drag::brush;
    brush_ = brush_at(input.mouse.x, map_axis(scene), scene.axis.range, kBrushReach * scene.scale);
    moved_ = brush_.part == BrushPart::outside;
  } else if (at.ruler.contains(input.mouse) && !right_) {
    drag_ = Drag::mark;
  } else if (at.body().contains(input.mouse)) {
    drag_ = right_ || input.shift ? Drag::box : Drag::pan;
  } else if (at.labels.contains(input.mouse) && !right_) {
    drag_ = Drag::label;
  }
}

void TimelineGestures::continue_drag(const ChartInput& input, const Scene& scene,
                                     ViewState& state) {
  const float dx = input.mouse.x - start_.x;
  const float dy = input.mouse.y - start_.y;
  if (std::max(std::abs(dx), std::abs(dy)) > kClickReach * scene.scale) moved_ = true;
  if (!moved_) return;
  // The range may have moved since the drag began. The time at the start stays under the mouse.
  const double per_pixel = static_cast<double>(start_range_.length()) /
                           static_cast<double>(std::max(1.0F, scene.axis.x1 - scene.axis.x0));
  const auto by = static_cast<std::int64_t>(static_cast<double>(dx) * per_pixel);
  const auto time_under = [&](float x) {
    return scene.axis.time_at(std::clamp(x, scene.axis.x0, scene.axis.x1));
  };
  switch (drag_) {
    case Drag::pan:
      show(panned(start_range_, -by, scene.bounds), scene.bounds, state);
      scroll_ = start_scroll_ - dy;
      break;
    case Drag::box:
      box_ = ordered(time_under(start_.x), time_under(input.mouse.x));
      break;
    case Drag::mark:
      state.marked = ordered(time_under(start_.x), time_under(input.mouse.x));
      break;
    case Drag::brush:
      show(brushed(brush_, dx, map_axis(scene)), scene.bounds, state);
      break;
    case Drag::label:
      scroll_ = start_scroll_ - dy;
      break;
    case Drag::none:
      break;
  }
}

void TimelineGestures::end_drag(const ChartInput& input, const Scene& scene, ViewState& state,
                                Asked& asked) {
  if (!moved_) {
    asked.click = drag_ == Drag::pan && scene.regions.plot.contains(input.mouse);
    asked.label_click = drag_ == Drag::label;
    if (drag_ == Drag::mark) state.marked.reset();
  } else if (drag_ == Drag::box && box_ && !box_->empty()) {
    go_to(*box_, scene.bounds, state, input.now_ns);
  }
  if (state.marked && state.marked->empty()) state.marked.reset();
  box_.reset();
  drag_ = Drag::none;
}

void TimelineGestures::wheel_and_keys(const ChartInput& input, const Scene& scene,
                                      ViewState& state) {
  const base::TimeRange view = scene.axis.range;
  const TimelineRegions& at = scene.regions;
  const bool over_body = input.hovered && at.body().contains(input.mouse);
  const float inside = std::clamp(input.mouse.x, scene.axis.x0, scene.axis.x1);
  const std::int64_t anchor =
      over_body ? scene.axis.time_at(inside) : view.begin + view.length() / 2;
  if (input.hovered && input.wheel != 0) {
    if (at.labels.contains(input.mouse)) {
      scroll_ -= input.wheel * kNotch * scene.scale;
    } else if (input.shift) {
      const double by =
          -static_cast<double>(input.wheel) * 0.1 * static_cast<double>(view.length());
      show(panned(view, static_cast<std::int64_t>(by), scene.bounds), scene.bounds, state);
    } else {
      const double factor = std::pow(kWheelStep, static_cast<double>(input.wheel));
      show(zoomed(view, anchor, factor, scene.bounds), scene.bounds, state);
    }
  }
  if (input.hovered && input.wheel_sideways != 0) {
    const double by =
        -static_cast<double>(input.wheel_sideways) * 0.1 * static_cast<double>(view.length());
    show(panned(view, static_cast<std::int64_t>(by), scene.bounds), scene.bounds, state);
  }
  const double seconds = std::min(static_cast<double>(input.seconds), 0.1);
  if (input.zoom_in != input.zoom_out) {
    const double rate = input.zoom_in ? -kKeyZoomPerSecond : kKeyZoomPerSecond;
    show(zoomed(view, anchor, std::exp(rate * seconds), scene.bounds), scene.bounds, state);
  }
  if (input.pan_left != input.pan_right) {
    const double by = kKeyPanPerSecond * seconds * static_cast<double>(view.length());
    const auto step = static_cast<std::int64_t>(input.pan_left ? -by : by);
    show(panned(view, step, scene.bounds), scene.bounds, state);
  }
}

}  // namespace ts::views
