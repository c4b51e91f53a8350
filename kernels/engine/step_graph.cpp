#include "kernels/engine/step_graph.h"

#include <ATen/record_function.h>

namespace ts::kernels {
namespace {

// The calling thread's work runs on a stream of its own.
class SideStream {
 public:
  explicit SideStream(Device& device) : device_(device) { device_.enter_side_stream(); }
  ~SideStream() { device_.leave_side_stream(); }
  SideStream(const SideStream&) = delete;
  SideStream& operator=(const SideStream&) = delete;

 private:
  Device& device_;
};

}  // namespace

void StepGraph::capture(const std::function<void()>& step,
                        const std::function<void()>& before_capture) {
  const SideStream side(device_);
  for (int i = 0; i < kWarmUps; ++i) step();
  before_capture();
  device_.begin_capture();
  capturing_ = true;
  try {
    step();
    device_.end_capture();
  } catch (...) {
    // A stream that keeps capturing would refuse all later work.
    device_.drop_capture();
    capturing_ = false;
    throw;
  }
  capturing_ = false;
}

void StepGraph::replay() {
  RECORD_FUNCTION("CUDA graph", c10::ArrayRef<const c10::IValue>{});
  device_.replay();
}

}  // namespace ts::kernels
