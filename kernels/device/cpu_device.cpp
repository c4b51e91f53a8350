#include <ATen/Parallel.h>

#include "kernels/device/cpu_caches.h"
#include "kernels/device/device.h"
#include "kernels/observe/cpu_allocator.h"

namespace ts::kernels {
namespace {

class CpuDevice final : public Device {
 public:
  [[nodiscard]] c10::Device torch_device() const override {
    return c10::Device(c10::DeviceType::CPU);
  }
  void synchronize() override {}
  [[nodiscard]] bool can_evict_caches() const override { return true; }
  void evict_caches() override { caches_.evict(); }
  void gather_threads() override {
    const std::int64_t threads = at::get_num_threads();
    if (threads > 1) at::parallel_for(0, threads, 1, [](std::int64_t, std::int64_t) {});
  }
  void open_account(std::int64_t limit) override {
    park_current();
    limit_ = limit;
    allocator_.open_account(limit);
    current_ = this;
  }
  void enter_account() override {
    if (current_ == this) return;
    park_current();
    allocator_.resume_account(limit_, parked_);
    current_ = this;
  }
  void close_account() noexcept override {
    if (current_ != this) return;
    allocator_.close_account();
    current_ = nullptr;
  }
  [[nodiscard]] run::MemoryCounters memory() const override {
    const CpuAllocator::Counters now = current_ == this ? allocator_.account() : parked_;
    return {now.allocated, now.peak, limit_};
  }

 private:
  static void park_current() {
    if (current_ != nullptr) current_->parked_ = current_->allocator_.account();
    current_ = nullptr;
  }

  // The device whose account the process's allocator keeps.
  static inline CpuDevice* current_ = nullptr;

  CpuAllocator& allocator_ = CpuAllocator::install();
  std::int64_t limit_ = 0;
  CpuAllocator::Counters parked_;
  CpuCaches caches_;
};

}  // namespace

std::unique_ptr<Device> make_cpu_device() {
  return std::make_unique<CpuDevice>();
}

}  // namespace ts::kernels
