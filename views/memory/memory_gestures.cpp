#include "views/memory/memory_gestures.h"

#include <algorithm>
#include <cmath>

namespace ts::views {
namespace {

constexpr float kClickReach = 4;
constexpr double kWheelStep = 0.8;
constexpr double kKeyZoomPerSecond = 5;
constexpr double kKeyPanPerSecond = 1.4;

}  // namespace

MemoryGestures::Asked MemoryGestures::apply(const ChartInput& input, const Scene& scene) {
  Asked asked;
  const bool over = input.hovered && scene.plot.contains(input.mouse);
  if (drag_ == Drag::none && over && (input.left_pressed || input.right_pressed)) {
    right_ = input.right_pressed;
    drag_ = right_ || input.shift ? Drag::box : Drag::pan;
    start_ = input.mouse;
    start_range_ = scene.axis.range;
    moved_ = false;
  }
  if (drag_ != Drag::none) drag(input, scene, asked);
  if (input.double_clicked && over) {
    asked.double_click = true;
    asked.click = false;
    drag_ = Drag::none;
  }
  wheel_and_keys(input, scene, asked);
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
  } else if (moved_) {
    const auto under = [&](float x) {
      return scene.axis.time_at(std::clamp(x, scene.plot.x0, scene.plot.x1));
    };
    const std::int64_t a = under(start_.x);
    const std::int64_t b = under(input.mouse.x);
    box_ = base::TimeRange{std::min(a, b), std::max(a, b)};
  }
  if (right_ ? input.right_down : input.left_down) return;
  if (!moved_) asked.click = drag_ == Drag::pan;
  if (moved_ && box_ && !box_->empty()) asked.go_to = clamped(*box_, scene.bounds);
  box_.reset();
  drag_ = Drag::none;
}

void MemoryGestures::wheel_and_keys(const ChartInput& input, const Scene& scene,
                                    Asked& asked) const {
  const base::TimeRange view = scene.axis.range;
  const auto length = static_cast<double>(view.length());
  const bool over = input.hovered && scene.plot.contains(input.mouse);
  const std::int64_t anchor =
      over ? scene.axis.time_at(input.mouse.x) : view.begin + view.length() / 2;
  const auto pan = [&](double by) {
    asked.show = panned(view, static_cast<std::int64_t>(by), scene.bounds);
  };
  if (over && input.wheel != 0) {
    if (input.shift) {
      pan(-static_cast<double>(input.wheel) * 0.1 * length);
    } else {
      const double factor = std::pow(kWheelStep, static_cast<double>(input.wheel));
      asked.show = zoomed(view, anchor, factor, scene.bounds);
    }
  }
  if (over && input.wheel_sideways != 0)
    pan(-static_cast<double>(input.wheel_sideways) * 0.1 * length);
  const double seconds = std::min(static_cast<double>(input.seconds), 0.1);
  if (input.zoom_in != input.zoom_out) {
    const double rate = input.zoom_in ? -kKeyZoomPerSecond : kKeyZoomPerSecond;
    asked.show = zoomed(view, anchor, std::exp(rate * seconds), scene.bounds);
  }
  if (input.pan_left != input.pan_right)
    pan((input.pan_left ? -1 : 1) * kKeyPanPerSecond * seconds * length);
}

}  // namespace ts::views
