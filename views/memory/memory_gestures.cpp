#include "views/memory/memory_gestures.h"

#include <algorithm>
#include <cmath>

namespace ts::views {
namespace {

constexpr float kClickReach = 4;
constexpr float kFlat = 10;  // pixels
constexpr float kBrushReach = 5;
constexpr double kWheelStep = 0.8;
constexpr double kKeyZoomPerSecond = 5;
constexpr double kKeyPanPerSecond = 1.4;
constexpr double kWheelPan = 0.1;  // of what is in view, for a step of the wheel

std::int64_t middle(const base::TimeRange& view) {
  return view.begin + view.length() / 2;
}

base::TimeRange panned_by(const base::TimeRange& view, double part, const base::TimeRange& bounds) {
  const double by = part * static_cast<double>(view.length());
  return panned(view, static_cast<std::int64_t>(by), bounds);
}

// One axis of the plot, and which input moves it.
struct MovedAxis {
  base::TimeRange view;
  base::TimeRange bounds;
  std::int64_t anchor = 0;  // stays in place while zooming
  bool wheel = false;
  double wheel_forward = 1;  // direction of a pan by Shift and the wheel: 1 or -1
  bool keys = false;
};

// The range that the wheel and the keys ask for.
std::optional<base::TimeRange> moved(const ChartInput& input, const MovedAxis& axis) {
  std::optional<base::TimeRange> range;
  if (axis.wheel && input.wheel != 0) {
    const auto steps = static_cast<double>(input.wheel);
    range = input.shift ? panned_by(axis.view, axis.wheel_forward * steps * kWheelPan, axis.bounds)
                        : zoomed(axis.view, axis.anchor, std::pow(kWheelStep, steps), axis.bounds);
  }
  if (!axis.keys) return range;
  const double seconds = std::min(static_cast<double>(input.seconds), 0.1);
  if (input.zoom_in != input.zoom_out) {
    const double rate = input.zoom_in ? -kKeyZoomPerSecond : kKeyZoomPerSecond;
    range = zoomed(axis.view, axis.anchor, std::exp(rate * seconds), axis.bounds);
  }
  if (input.pan_left != input.pan_right) {
    const double direction = input.pan_left ? -1 : 1;
    range = panned_by(axis.view, direction * kKeyPanPerSecond * seconds, axis.bounds);
  }
  return range;
}

}  // namespace

MemoryGestures::Asked MemoryGestures::apply(const ChartInput& input, const Scene& scene) {
  Asked asked;
  const bool over = input.hovered && scene.plot.contains(input.mouse);
  if (drag_ == Drag::none && over && (input.left_pressed || input.right_pressed)) {
    right_ = input.right_pressed;
    drag_ = right_ || input.shift ? Drag::box : Drag::pan;
    start_ = input.mouse;
    start_range_ = scene.axis.range;
    start_bytes_ = scene.bytes;
    moved_ = false;
  }
  if (drag_ == Drag::none && input.hovered && input.left_pressed &&
      scene.map_area.contains(input.mouse)) {
    right_ = false;
    drag_ = Drag::brush;
    start_ = input.mouse;
    brush_ = brush_at(input.mouse.x, scene.map, scene.axis.range, kBrushReach * scene.scale);
    moved_ = brush_.part == BrushPart::outside;
  }
  if (drag_ != Drag::none) drag(input, scene, asked);
  if (input.double_clicked && over) {
    asked.double_click = true;
    asked.click = false;
    drag_ = Drag::none;
  }
  wheel_and_keys(input, scene, asked);
  move_bytes(input, scene, asked);
  asked.fit = input.fit;
  asked.mark = input.mark;
  asked.clear = input.clear;
  return asked;
}

void MemoryGestures::drag(const ChartInput& input, const Scene& scene, Asked& asked) {
  const float dx = input.mouse.x - start_.x;
  const float dy = input.mouse.y - start_.y;
  if (std::max(std::abs(dx), std::abs(dy)) > kClickReach * scene.scale) moved_ = true;
  if (moved_ && drag_ == Drag::pan) {
    const double per_pixel = static_cast<double>(start_range_.length()) /
                             static_cast<double>(std::max(1.0F, scene.plot.width()));
    const auto by = static_cast<std::int64_t>(static_cast<double>(dx) * per_pixel);
    asked.show = panned(start_range_, -by, scene.bounds);
    const double bytes_per_pixel = static_cast<double>(start_bytes_.length()) /
                                   static_cast<double>(std::max(1.0F, scene.plot.height()));
    const auto up = static_cast<std::int64_t>(static_cast<double>(dy) * bytes_per_pixel);
    if (start_bytes_ != scene.byte_bounds)
      asked.show_bytes = panned(start_bytes_, up, scene.byte_bounds);
  } else if (moved_ && drag_ == Drag::brush) {
    asked.show = brushed(brush_, dx, scene.map);
  } else if (moved_) {
    const Rect& plot = scene.plot;
    box_ = Rect{std::clamp(std::min(start_.x, input.mouse.x), plot.x0, plot.x1),
                std::clamp(std::min(start_.y, input.mouse.y), plot.y0, plot.y1),
                std::clamp(std::max(start_.x, input.mouse.x), plot.x0, plot.x1),
                std::clamp(std::max(start_.y, input.mouse.y), plot.y0, plot.y1)};
    // A flat box is meant for one axis.
    if (box_->height() < kFlat * scene.scale) box_ = Rect{box_->x0, plot.y0, box_->x1, plot.y1};
    if (box_->width() < kFlat * scene.scale) box_ = Rect{plot.x0, box_->y0, plot.x1, box_->y1};
  }
  if (right_ ? input.right_down : input.left_down) return;
  if (!moved_) asked.click = drag_ == Drag::pan;
  if (moved_ && box_) finish_box(scene, asked);
  box_.reset();
  drag_ = Drag::none;
}

void MemoryGestures::finish_box(const Scene& scene, Asked& asked) const {
  const Rect& plot = scene.plot;
  if (box_->x0 > plot.x0 || box_->x1 < plot.x1) {
    const base::TimeRange places{scene.axis.time_at(box_->x0), scene.axis.time_at(box_->x1)};
    if (!places.empty()) asked.go_to = clamped(places, scene.bounds);
  }
  if (box_->y0 > plot.y0 || box_->y1 < plot.y1) {
    const auto bytes_at = [&](float y) {
      const double part = static_cast<double>((plot.y1 - y) / std::max(1.0F, plot.height()));
      return scene.bytes.begin +
             static_cast<std::int64_t>(part * static_cast<double>(scene.bytes.length()));
    };
    asked.go_to_bytes = clamped({bytes_at(box_->y1), bytes_at(box_->y0)}, scene.byte_bounds);
  }
}

// Ctrl and the wheel, Shift and the keys.
void MemoryGestures::move_bytes(const ChartInput& input, const Scene& scene, Asked& asked) {
  const base::TimeRange view = scene.bytes;
  const bool over = input.hovered && scene.plot.contains(input.mouse);
  const double part =
      static_cast<double>((scene.plot.y1 - input.mouse.y) / std::max(1.0F, scene.plot.height()));
  const auto below = static_cast<std::int64_t>(part * static_cast<double>(view.length()));
  if (const auto range = moved(input, {.view = view,
                                       .bounds = scene.byte_bounds,
                                       .anchor = over ? view.begin + below : middle(view),
                                       .wheel = over && input.ctrl,
                                       .wheel_forward = 1,
                                       .keys = input.shift}))
    asked.show_bytes = range;
}

void MemoryGestures::wheel_and_keys(const ChartInput& input, const Scene& scene, Asked& asked) {
  const base::TimeRange view = scene.axis.range;
  const bool over = input.hovered && scene.plot.contains(input.mouse);
  if (const auto range =
          moved(input, {.view = view,
                        .bounds = scene.bounds,
                        .anchor = over ? scene.axis.time_at(input.mouse.x) : middle(view),
                        .wheel = over && !input.ctrl,
                        .wheel_forward = -1,
                        .keys = !input.shift}))
    asked.show = range;
  if (over && input.wheel_sideways != 0)
    asked.show =
        panned_by(view, -static_cast<double>(input.wheel_sideways) * kWheelPan, scene.bounds);
}

}  // namespace ts::views
