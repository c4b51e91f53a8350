#include <algorithm>
#include <string>
#include <utility>

#include "core/base/clock.h"
#include "kernels/cuda/cuda_library.h"
#include "kernels/device/device.h"
#include "kernels/observe/allocator_trace.h"
#include "kernels/observe/failure.h"

namespace ts::kernels {
namespace {

void check(const char* sentence) {
  if (sentence != nullptr) throw c10::Error(std::string(sentence));
}

class CudaDevice final : public Device {
 public:
  CudaDevice(const CudaLibrary& library, std::int32_t index)
      : api_(*library.api()),
        capture_(library.capture()),
        marks_(library.marks()),
        nvml_(library.nvml()),
        index_(index) {
    CudaDeviceFacts facts{};
    check(api_.device_facts(index_, &facts));
    pci_address_ = facts.pci_address;
  }

  [[nodiscard]] c10::Device torch_device() const override {
    return c10::Device(c10::DeviceType::CUDA, static_cast<c10::DeviceIndex>(index_));
  }
  void synchronize() override { check(api_.synchronize(index_)); }
  [[nodiscard]] bool can_evict_caches() const override { return true; }
  void evict_caches() override {
    check(api_.flush_l2(index_));
    synchronize();
  }
  void open_account(std::int64_t limit) override {
    park_current();
    limit_ = limit;
    clear_workspaces(api_);
    check(api_.empty_cache());
    start_from(read().allocated);
  }
  void enter_account() override {
    if (current_ == this) return;
    park_current();
    // The cache stays: emptying it at every switch would change the comparison.
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
    if (trace_ == nullptr) trace_ = std::make_unique<AllocatorTrace>(api_);
    recording_ = capture_ != nullptr && capture_->begin(recorder).empty();
    return recording_ ? &marks_ : nullptr;
  }
  void end_recording() noexcept override {
    if (!recording_) return;
    api_.synchronize(index_);  // a step that failed may have left work running
    capture_->end();
    recording_ = false;
  }

  void begin_timing() override { check(api_.time_begin(index_)); }
  std::int64_t end_timing() override {
    std::int64_t nanoseconds = 0;
    check(api_.time_end(index_, &nanoseconds));
    return nanoseconds;
  }
  // The driver may take a millisecond to respond, so it is queried rarely.
  std::optional<run::GpuState> state() override {
    const std::int64_t now = base::now_ns();
    if (nvml_ != nullptr && (!state_ || now - asked_ns_ >= kAskEvery)) {
      state_ = nvml_->state(pci_address_);
      asked_ns_ = now;
    }
    return state_;
  }
  std::shared_ptr<const allocator::Snapshot> snapshot(const base::StringTable& strings) override {
    return trace_ != nullptr ? trace_->snapshot(strings) : nullptr;
  }
  [[nodiscard]] bool can_capture() const override { return true; }
  void enter_side_stream() override { check(api_.enter_side_stream(index_)); }
  void leave_side_stream() noexcept override { api_.leave_side_stream(index_); }
  // The cache is emptied as torch.cuda.graph does: the pool cannot use blocks of the warm-up.
  void begin_capture() override {
    synchronize();
    check(api_.empty_cache());
    drop_capture();
    graph_ = api_.graph_make(index_);
    ++graphs_;
    check(api_.graph_begin(graph_));
  }
  void end_capture() override { check(api_.graph_end(graph_)); }
  void drop_capture() noexcept override {
    if (graph_ == nullptr) return;
    api_.graph_drop(std::exchange(graph_, nullptr));
    --graphs_;
  }
  void replay() override { check(api_.graph_replay(graph_)); }
  bool broken() noexcept override { return api_.broken(index_); }

 private:
  static constexpr std::int64_t kAskEvery = 20'000'000;

  // `base` bytes do not belong to this account.
  void start_from(std::int64_t base) {
    base_ = base;
    check(api_.set_limit(index_, base + limit_));
    check(api_.reset_peak(index_));
    current_ = this;
  }
  [[nodiscard]] run::MemoryCounters account() const {
    const CudaMemory now = read();
    return {now.allocated - base_, std::max(parked_.peak, now.peak - base_), limit_, now.reserved};
  }
  static void park_current() {
    if (current_ == nullptr) return;
    clear_workspaces(current_->api_);
    current_->parked_ = current_->account();
    current_ = nullptr;
  }
  // cuBLAS keeps its workspaces for the process. Every account has its own, as a process of its own
  // would. A captured step keeps pointers to them: while there is one, they stay.
  static void clear_workspaces(const CudaApi& api) {
    if (graphs_ == 0) check(api.clear_workspaces());
  }

  [[nodiscard]] CudaMemory read() const {
    CudaMemory memory{};
    check(api_.memory(index_, &memory));
    return memory;
  }

  const CudaApi& api_;
  capture::GpuCapture* const capture_;
  const capture::LaunchMarks& marks_;
  const Nvml* const nvml_;
  const std::int32_t index_;
  std::string pci_address_;
  std::unique_ptr<AllocatorTrace> trace_;
  std::optional<run::GpuState> state_;
  std::int64_t asked_ns_ = 0;
  CudaGraph* graph_ = nullptr;
  bool recording_ = false;
  std::int64_t limit_ = 0;
  std::int64_t base_ = 0;
  run::MemoryCounters parked_;
  static inline int graphs_ = 0;  // captured steps of all devices
  // The device whose account the allocator keeps.
  static inline CudaDevice* current_ = nullptr;
};

}  // namespace

std::unique_ptr<Device> make_cuda_device(const CudaLibrary& library, std::int32_t index) {
  library.api()->on_refused(note_refusal);
  return std::make_unique<CudaDevice>(library, index);
}

}  // namespace ts::kernels
