#pragma once

#include <functional>

namespace ts::app {

// While an object lives, `end` is called when the X server goes away, instead of Xlib's exit(). It
// must not return and must not use the display. One object at a time, main thread.
class OnLostDisplay {
 public:
  explicit OnLostDisplay(std::function<void()> end);
  ~OnLostDisplay();
  OnLostDisplay(const OnLostDisplay&) = delete;
  OnLostDisplay& operator=(const OnLostDisplay&) = delete;
};

}  // namespace ts::app
