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
};

}  // namespace

std::unique_ptr<Device> make_cuda_device(const CudaLibrary& library, std::int32_t index) {
  library.api()->on_refused(note_refusal);
  return std::make_unique<CudaDevice>(library, index);
}

}  // namespace ts::kernels
