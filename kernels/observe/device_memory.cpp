#include "kernels/observe/device_memory.h"

#include <c10/core/Allocator.h>

namespace ts::kernels {
namespace {

// size: negative for a block that is freed.
void record_change(Recording& recording, const void* address, std::int64_t size) {
  if (size > 0) {
    recording.memory(memory::Action::alloc, address, size);
  } else {
    recording.memory(memory::Action::free_completed, address, -size);
  }
}

class DeviceMemoryReporter final : public c10::MemoryReportingInfoBase {
 public:
  explicit DeviceMemoryReporter(c10::DeviceType device) : device_(device) {}

  // Called under the allocator's lock: must not call torch.
  void reportMemoryUsage(void* address, std::int64_t size, std::size_t /*allocated*/,
                         std::size_t /*reserved*/, c10::Device device) override {
    Recording* const recording = Recording::active();
    if (recording == nullptr || device.type() != device_ || size == 0) return;
    record_change(*recording, address, size);
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

// No constant: in newer versions of torch it is made when its library is loaded.
c10::DebugInfoKind kind() {
  return c10::DebugInfoKind::PROFILER_STATE;
}

// On the thread for one report, and before it nothing else comes: the allocator holds its lock. It
// is never destroyed, because it runs while it takes itself away.
class NextBlockReporter final : public c10::MemoryReportingInfoBase {
 public:
  void reportMemoryUsage(void* address, std::int64_t size, std::size_t allocated,
                         std::size_t reserved, c10::Device device) override {
    c10::ThreadLocalDebugInfo::_pop(kind());
    c10::reportMemoryUsageToProfiler(address, size, allocated, reserved, device);
    Recording* const recording = Recording::active();
    if (recording == nullptr) return;
    recording->in_use(static_cast<std::int64_t>(allocated));
    record_change(*recording, address, size);
  }
  bool memoryProfilingEnabled() const override { return true; }
};

}  // namespace

std::unique_ptr<c10::DebugInfoGuard> report_device_memory(Recording& recording) {
  return std::make_unique<c10::DebugInfoGuard>(
      kind(), std::make_shared<DeviceMemoryReporter>(recording.device()));
}

void record_next_report() {
  static const auto* const reporter =
      new std::shared_ptr<c10::DebugInfoBase>(std::make_shared<NextBlockReporter>());
  c10::ThreadLocalDebugInfo::_push(kind(), *reporter);
}

}  // namespace ts::kernels
