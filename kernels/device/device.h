#pragma once

#include <c10/core/Device.h>

#include <cstdint>
#include <memory>
#include <optional>

#include "core/capture/gpu_source.h"
#include "core/run/engine.h"

namespace ts::kernels {

class CudaLibrary;

// The differences between cpu and cuda for an execution: synchronisation, and its memory account.
// The allocators of LibTorch count for the whole process, so one account is active at a time; that
// of another execution is parked with the bytes that it holds. Worker thread.
class Device {
 public:
  virtual ~Device() = default;
  [[nodiscard]] virtual c10::Device torch_device() const = 0;
  // Returns when all started work has ended.
  virtual void synchronize() = 0;
  // True if evict_caches() has an effect.
  [[nodiscard]] virtual bool can_evict_caches() const { return false; }
  // Evicts the data of earlier steps from the device's caches, by accessing memory that is larger
  // than they are. Returns when that is done; the memory is in no account.
  virtual void evict_caches() {}
  // Wakes the threads that operators compute with, so that every step finds them awake, whatever
  // ran before it. Not timed.
  virtual void gather_threads() {}
  // From now on at most `limit` more bytes may be live; live bytes and their peak count from 0.
  virtual void open_account(std::int64_t limit) = 0;
  // From now on allocations and frees count for this account again, until another is opened or
  // entered. Does nothing if it is active.
  virtual void enter_account() = 0;
  virtual void close_account() noexcept = 0;
  [[nodiscard]] virtual run::MemoryCounters memory() const = 0;
  // From here to end_recording() the work of the device is recorded. Returns how launches are to be
  // marked meanwhile; null if there is nothing to mark. The device must be idle at the end.
  virtual const capture::LaunchMarks* begin_recording(capture::Recorder& /*recorder*/) {
    return nullptr;
  }
  virtual void end_recording() noexcept {}
  // The time on the device between the two calls, in nanoseconds; 0 if it has no clock of its own.
  virtual void begin_timing() {}
  virtual std::int64_t end_timing() { return 0; }
  // Clocks, temperature and so on; unset if not reported.
  virtual std::optional<run::GpuState> state() { return std::nullopt; }
  // The record of its allocator over the recordings so far; null if it is not PyTorch's.
  virtual std::shared_ptr<const allocator::Snapshot> snapshot(
      const base::StringTable& /*strings*/) {
    return nullptr;
  }
  // CUDA graphs, see step_graph.h. Between enter and leave the calling thread's work runs on a
  // stream of its own, ordered after earlier work and before later work.
  [[nodiscard]] virtual bool can_capture() const { return false; }
  virtual void enter_side_stream() {}
  virtual void leave_side_stream() noexcept {}
  // On the side stream: submitted work is not run, but becomes the graph and replaces an earlier
  // one. end_capture() throws if something cannot be part of a graph. drop_capture() also ends an
  // open capture.
  virtual void begin_capture() {}
  virtual void end_capture() {}
  virtual void drop_capture() noexcept {}
  virtual void replay() {}
  // True if the device permanently no longer responds.
  virtual bool broken() noexcept { return false; }
};

std::unique_ptr<Device> make_cpu_device();
// `library` must have an api() and outlive it.
std::unique_ptr<Device> make_cuda_device(const CudaLibrary& library, std::int32_t index);

// Records the device until the end of the scope; does nothing without a recorder.
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
