#include "kernels/cuda/api.h"
#include "kernels/device.h"
#include "kernels/failure.h"

namespace ts::kernels {
namespace {

void check(const char* sentence) {
  if (sentence != nullptr) throw c10::Error(std::string(sentence));
}

class CudaDevice final : public Device {
 public:
  CudaDevice(const CudaApi& api, std::int32_t index) : api_(api), index_(index) {}

  [[nodiscard]] c10::Device torch_device() const override {
    return c10::Device(c10::DeviceType::CUDA, static_cast<c10::DeviceIndex>(index_));
  }
  void synchronize() override { check(api_.synchronize(index_)); }
  void open_account(std::int64_t limit) override {
    limit_ = limit;
    check(api_.empty_cache());
    check(api_.set_limit(index_, limit));
    check(api_.reset_peak(index_));
    base_ = read().allocated;
  }
  void close_account() noexcept override {
    api_.remove_limit(index_);
    api_.empty_cache();
  }
  [[nodiscard]] run::MemoryCounters memory() const override {
    const CudaMemory now = read();
    return {now.allocated - base_, now.peak - base_, limit_};
  }

 private:
  [[nodiscard]] CudaMemory read() const {
    CudaMemory memory{};
    check(api_.memory(index_, &memory));
    return memory;
  }

  const CudaApi& api_;
  const std::int32_t index_;
  std::int64_t limit_ = 0;
  std::int64_t base_ = 0;
};

}  // namespace

std::unique_ptr<Device> make_cuda_device(const CudaApi& api, std::int32_t index) {
  api.on_refused(note_refusal);
  return std::make_unique<CudaDevice>(api, index);
}

}  // namespace ts::kernels
