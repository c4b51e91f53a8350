#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <vector>

struct ImGuiInputEvent;

namespace ts::app {

// Limits the input of a frame to what it can tell apart, so that keys and clicks act in slow frames
// as in fast ones: a chord with the modifiers it was pressed with, one press after the other, and
// text typed after a click or key that opens a field goes into that field. Unprocessed mouse moves
// and wheel turns are merged; presses that waited longer than kStale are dropped, because nobody
// expects them any more. Main thread.
class InputPace {
 public:
  static constexpr std::int64_t kStale = 3'000'000'000;  // nanoseconds

  InputPace();
  ~InputPace();
  InputPace(const InputPace&) = delete;
  InputPace& operator=(const InputPace&) = delete;

  // Call right before and right after ImGui::NewFrame().
  void hold(std::int64_t now_ns);
  void release();
  // Some input waits for another frame.
  [[nodiscard]] bool waiting() const { return waiting_; }

 private:
  struct Arrived {
    std::uint32_t last_event;  // all events up to this one had arrived
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
