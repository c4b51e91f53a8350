#pragma once

#include <functional>

#include "kernels/device/device.h"

namespace ts::kernels {

// A step captured as a CUDA graph: its kernels are launched together, by one call, without the host
// in between. The stream that captures has run the step a few times before, as PyTorch's notes on
// CUDA graphs require: by then libraries and optimizer have allocated what they make at their first
// call. The tensors that the step reads and writes stay in place, in a pool of the graph's own.
// Worker thread.
class StepGraph {
 public:
  static constexpr int kWarmUps = 3;

  // `device`, which can capture, must outlive it.
  explicit StepGraph(Device& device) : device_(device) {}
  ~StepGraph() { device_.drop_capture(); }
  StepGraph(const StepGraph&) = delete;
  StepGraph& operator=(const StepGraph&) = delete;

  // Runs `step` for warm-up, then `before_capture`, then `step` once more, captured. Exceptions of
  // both pass through; nothing is captured then. `step` must not wait for the device during
  // capture.
  void capture(const std::function<void()>& step, const std::function<void()>& before_capture);
  [[nodiscard]] bool capturing() const { return capturing_; }
  // Runs the captured step, recorded as an operator of its own; does not wait.
  void replay();

 private:
  Device& device_;
  bool capturing_ = false;
};

}  // namespace ts::kernels
