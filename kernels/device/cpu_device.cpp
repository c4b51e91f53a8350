#include <ATen/Parallel.h>

#include <utility>

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
    close_account();
    account_ = &allocator_.open_account(limit);
  }
  void enter_account() override {
    if (account_ != nullptr) allocator_.enter_account(*account_);
  }
  void close_account() noexcept override {
    if (account_ != nullptr) allocator_.close_account(*std::exchange(account_, nullptr));
  }
  [[nodiscard]] run::MemoryCounters memory() const override {
    if (account_ == nullptr) return {};
    return {account_->allocated, account_->peak, account_->limit};
  }

 private:
  CpuAllocator& allocator_ = CpuAllocator::install();
  CpuAllocator::Account* account_ = nullptr;  // null: not open
  CpuCaches caches_;
};

}  // namespace

std::unique_ptr<Device> make_cpu_device() {
  return std::make_unique<CpuDevice>();
}

}  // namespace ts::kernels
