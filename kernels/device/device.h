#pragma once

#include <c10/core/Device.h>

#include <cstdint>
#include <memory>
#include <optional>

#include "core/capture/gpu_source.h"
#include "core/run/engine.h"

namespace ts::kernels {

class CudaLibrary;

// What differs between cpu and cuda for an execution: waiting, and the account of its memory. The
// allocators of LibTorch count for the whole process, so one account is at work at a time; that of
// another execution is parked with the bytes that it holds. Worker thread.
class Device {
 public:
  virtual ~Device() = default;
  [[nodiscard]] virtual c10::Device torch_device() const = 0;
  // Returns when everything that was started has ended.
  virtual void synchronize() = 0;
  // Whether evict_caches() does anything.
  [[nodiscard]] virtual bool can_evict_caches() const { return false; }
  // Drives out of the device's caches what earlier steps left there, by going through memory that
  // is larger than they are. Returns when that is done; the memory is in no account.
  virtual void evict_caches() {}
  // Brings the threads that operators compute with together, so that every step finds them awake,
  // whatever was done before it. Not timed.
  virtual void gather_threads() {}
  // From here on at most `limit` more bytes may be live, and live bytes and their peak count from
  // 0.
  virtual void open_account(std::int64_t limit) = 0;
  // What is taken and given back from here on is this account's again, until another is opened or
  // entered. Nothing if it is at work.
  virtual void enter_account() = 0;
  virtual void close_account() noexcept = 0;
  [[nodiscard]] virtual run::MemoryCounters memory() const = 0;
  // From here to end_recording() what the device does goes to the recorder. How launches are to be
  // marked meanwhile; null where there is nothing to mark. The device must be idle at the end.
  virtual const capture::LaunchMarks* begin_recording(capture::Recorder& /*recorder*/) {
    return nullptr;
  }
  virtual void end_recording() noexcept {}
  // Time on the device between the two, in nanoseconds; 0 where there is no clock of its own.
  virtual void begin_timing() {}
  virtual std::int64_t end_timing() { return 0; }
  // Clocks, temperature and so on; unset where nobody tells them.
  virtual std::optional<run::GpuState> state() { return std::nullopt; }
  // What its allocator recorded of itself in the recordings so far; null where it is not PyTorch's.
  virtual std::shared_ptr<const allocator::Snapshot> snapshot(
      const base::StringTable& /*strings*/) {
    return nullptr;
  }
  // CUDA graphs, see step_graph.h. Between enter and leave the calling thread's work goes to a
  // stream of its own, after what was started before and before what is started afterwards.
  [[nodiscard]] virtual bool can_capture() const { return false; }
  virtual void enter_side_stream() {}
  virtual void leave_side_stream() noexcept {}
  // On the side stream: what is started is not run, but becomes the graph, in place of an earlier
  // one. end_capture() throws when something cannot be part of one. drop_capture() also ends a
  // capture that is open.
  virtual void begin_capture() {}
  virtual void end_capture() {}
  virtual void drop_capture() noexcept {}
  virtual void replay() {}
  // True when it answers nothing any more, for good.
  virtual bool broken() noexcept { return false; }
};

std::unique_ptr<Device> make_cpu_device();
// `library` must have an api() and outlive it.
std::unique_ptr<Device> make_cuda_device(const CudaLibrary& library, std::int32_t index);

// A recording of the device, to the end of the scope; of nothing without a recorder.
class DeviceRecording {
 public:
  DeviceRecording(Device& device, capture::Recorder* recorder)
      : device_(recorder != nullptr ? &device : nullptr),
        marks_(recorder != nullptr ? device.begin_recording(*recorder) : nullptr) {}
  ~DeviceRecording() {
    if (device_ != nullptr) device_->end_recording();
  }
  DeviceRecording(const DeviceRecording&) = delete;
  DeviceRecording& operator=(const DeviceRecording&) = delete;
  [[nodiscard]] const capture::LaunchMarks* marks() const noexcept { return marks_; }

 private:
  Device* device_;
  const capture::LaunchMarks* marks_;
};

// Closes the account on scope exit.
class Account {
 public:
  Account(Device& device, std::int64_t limit) : device_(device) { device_.open_account(limit); }
  ~Account() { device_.close_account(); }
  void enter() { device_.enter_account(); }
  Account(const Account&) = delete;
  Account& operator=(const Account&) = delete;

 private:
  Device& device_;
};

}  // namespace ts::kernels
