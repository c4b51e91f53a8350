#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <vector>

struct ImGuiInputEvent;

namespace ts::app {

// Lets a frame see no more input than it can tell apart, so that keys and clicks act as they do in
// a fast window also where frames are slow: a chord with the modifiers it was pressed with, one
// press after the other, and what is typed behind a click or a key that opens a field goes into
// that field. Moves and turns of the wheel that nobody has seen are put together; presses that
// waited longer than kStale are forgotten rather than done when nobody expects them. Main thread.
class InputPace {
 public:
  static constexpr std::int64_t kStale = 3'000'000'000;  // nanoseconds

  InputPace();
  ~InputPace();
  InputPace(const InputPace&) = delete;
  InputPace& operator=(const InputPace&) = delete;

  // Right before and right behind ImGui::NewFrame().
  void hold(std::int64_t now_ns);
  void release();
  // Input waits for another frame.
  [[nodiscard]] bool waiting() const { return waiting_; }

 private:
  struct Arrived {
    std::uint32_t last_event;  // all up to this one had come
    std::int64_t ns;
  };
  struct Focus {
    std::uint32_t active = 0;
    std::uint32_t window = 0;
    int popups = 0;
    int typing = 0;
    bool operator==(const Focus&) const = default;
  };
  void forget_stale(std::int64_t now_ns);
  void put_together();
  [[nodiscard]] std::size_t seen_now();
  static Focus focus();

  std::vector<ImGuiInputEvent> held_;
  std::deque<Arrived> arrivals_;
  Focus focus_;
  int unsettled_frames_ = 0;
  bool waiting_ = false;
};

}  // namespace ts::app
