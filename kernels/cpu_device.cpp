#include "kernels/device.h"
#include "kernels/observe/cpu_allocator.h"

namespace ts::kernels {
namespace {

class CpuDevice final : public Device {
 public:
  [[nodiscard]] c10::Device torch_device() const override {
    return c10::Device(c10::DeviceType::CPU);
  }
  void synchronize() override {}
  void open_account(std::int64_t limit) override {
    limit_ = limit;
    allocator_.open_account(limit);
  }
  void close_account() noexcept override { allocator_.close_account(); }
  [[nodiscard]] run::MemoryCounters memory() const override {
    return {allocator_.allocated(), allocator_.peak(), limit_};
  }

 private:
  CpuAllocator& allocator_ = CpuAllocator::install();
  std::int64_t limit_ = 0;
};

}  // namespace

std::unique_ptr<Device> make_cpu_device() {
  return std::make_unique<CpuDevice>();
}

}  // namespace ts::kernels
