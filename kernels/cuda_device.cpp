#include <algorithm>

#include "kernels/cuda/cuda_library.h"
#include "kernels/device.h"
#include "kernels/failure.h"

namespace ts::kernels {
namespace {

void check(const char* sentence) {
  if (sentence != nullptr) throw c10::Error(std::string(sentence));
}

class CudaDevice final : public Device {
 public:
  CudaDevice(const CudaLibrary& library, std::int32_t index)
      : api_(*library.api()), capture_(library.capture()), index_(index) {}

  [[nodiscard]] c10::Device torch_device() const override {
    return c10::Device(c10::DeviceType::CUDA, static_cast<c10::DeviceIndex>(index_));
  }
  void synchronize() override { check(api_.synchronize(index_)); }
  void open_account(std::int64_t limit) override {
    park_current();
    limit_ = limit;
    check(api_.empty_cache());
    start_from(read().allocated);
  }
  void enter_account() override {
    if (current_ == this) return;
    park_current();
    // The cache stays: emptying it by turns would cost what is being compared.
    start_from(read().allocated - parked_.allocated);
  }
  void close_account() noexcept override {
    if (current_ != this) return;
    current_ = nullptr;
    api_.remove_limit(index_);
    api_.empty_cache();
  }
  [[nodiscard]] run::MemoryCounters memory() const override {
    return current_ == this ? account() : parked_;
  }

  const capture::LaunchMarks* begin_recording(capture::Recorder& recorder) override {
    recording_ = capture_ != nullptr && capture_->begin(recorder).empty();
    return recording_ ? &api_.recording.marks : nullptr;
  }
  void end_recording() noexcept override {
    if (!recording_) return;
    api_.synchronize(index_);  // a step that failed may have left work behind
    capture_->end();
    recording_ = false;
  }

 private:
  // `base` bytes are not this account's.
  void start_from(std::int64_t base) {
    base_ = base;
    check(api_.set_limit(index_, base + limit_));
    check(api_.reset_peak(index_));
    current_ = this;
  }
  [[nodiscard]] run::MemoryCounters account() const {
    const CudaMemory now = read();
    return {now.allocated - base_, std::max(parked_.peak, now.peak - base_), limit_};
  }
  static void park_current() {
    if (current_ != nullptr) current_->parked_ = current_->account();
    current_ = nullptr;
  }

  [[nodiscard]] CudaMemory read() const {
    CudaMemory memory{};
    check(api_.memory(index_, &memory));
    return memory;
  }

  const CudaApi& api_;
  capture::GpuCapture* const capture_;
  const std::int32_t index_;
  bool recording_ = false;
  std::int64_t limit_ = 0;
  std::int64_t base_ = 0;
  run::MemoryCounters parked_;
  // Whose account the allocator keeps.
  static inline CudaDevice* current_ = nullptr;
};

}  // namespace

std::unique_ptr<Device> make_cuda_device(const CudaLibrary& library, std::int32_t index) {
  library.api()->on_refused(note_refusal);
  return std::make_unique<CudaDevice>(library, index);
}

}  // namespace ts::kernels
