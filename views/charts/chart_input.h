#pragma once

#include <cstdint>

#include "views/common/draw_sink.h"

namespace ts::views {

// The user's input over a chart since the last frame, independent of any toolkit.
struct ChartInput {
  Point mouse;
  bool hovered = false;  // the mouse is over the chart, not over something in front of it
  float wheel = 0;       // up is positive
  float wheel_sideways = 0;
  bool shift = false;
  bool ctrl = false;
  bool left_pressed = false;
  bool left_down = false;
  bool double_clicked = false;
  bool right_pressed = false;
  bool right_down = false;
  // Keys, only while the chart has the keyboard.
  bool zoom_in = false;  // held
  bool zoom_out = false;
  bool pan_left = false;
  bool pan_right = false;
  bool fit = false;  // pressed
  bool mark = false;
  bool search = false;
  bool clear = false;
  // Arrow keys, while the chart has the focus: 1 is right and down, -1 left and up.
  int step_x = 0;
  int step_y = 0;
  // The context menu is requested: by a right click without a drag, or by a key.
  bool menu = false;
  float seconds = 0;  // since the last frame
  std::int64_t now_ns = 0;
};

}  // namespace ts::views
