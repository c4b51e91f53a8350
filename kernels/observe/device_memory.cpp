#include "kernels/observe/device_memory.h"

#include <c10/core/Allocator.h>

namespace ts::kernels {
namespace {

class DeviceMemoryReporter final : public c10::MemoryReportingInfoBase {
 public:
  explicit DeviceMemoryReporter(c10::DeviceType device) : device_(device) {}

  // Called under the allocator's lock: must not call torch.
  void reportMemoryUsage(void* address, std::int64_t size, std::size_t /*allocated*/,
                         std::size_t /*reserved*/, c10::Device device) override {
    Recording* const recording = Recording::active();
    if (recording == nullptr || device.type() != device_ || size == 0) return;
    if (size > 0) {
      recording->memory(memory::Action::alloc, address, size);
    } else {
      recording->memory(memory::Action::free_completed, address, -size);
    }
  }
  void reportOutOfMemory(std::int64_t size, std::size_t /*allocated*/, std::size_t /*reserved*/,
                         c10::Device device) override {
    Recording* const recording = Recording::active();
    if (recording == nullptr || device.type() != device_) return;
    recording->memory(memory::Action::oom, nullptr, size);
  }
  bool memoryProfilingEnabled() const override { return true; }

 private:
  c10::DeviceType device_;
};

}  // namespace

std::unique_ptr<c10::DebugInfoGuard> report_device_memory(Recording& recording) {
  return std::make_unique<c10::DebugInfoGuard>(
      c10::DebugInfoKind::PROFILER_STATE,
      std::make_shared<DeviceMemoryReporter>(recording.device()));
}

}  // namespace ts::kernels
