#pragma once

#include <functional>

#include "kernels/device/device.h"

namespace ts::kernels {

// A step captured as a CUDA graph: its kernels are launched together, by one call, without the host
// in between. The stream that captures has run the step a few times before, as PyTorch's notes on
// CUDA graphs ask for: by then libraries and optimizer have made what they make at their first
// call. What the step reads and writes stays where it was, in a pool of the graph's own. Worker
// thread.
class StepGraph {
 public:
  static constexpr int kWarmUps = 3;

  // `device`, which can capture, must outlive it.
  explicit StepGraph(Device& device) : device_(device) {}
  ~StepGraph() { device_.drop_capture(); }
  StepGraph(const StepGraph&) = delete;
  StepGraph& operator=(const StepGraph&) = delete;

  // Runs `step` for warm-up, then `before_capture`, then `step` once more, captured. Throws what
  // they throw; nothing is captured then. `step` must not wait for the device while it is captured.
  void capture(const std::function<void()>& step, const std::function<void()>& before_capture);
  [[nodiscard]] bool capturing() const { return capturing_; }
  // The captured step, as an operator of its own for those who record; does not wait.
  void replay();

 private:
  Device& device_;
  bool capturing_ = false;
};

}  // namespace ts::kernels
