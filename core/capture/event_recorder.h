#pragma once

#include <cstddef>
#include <cstdint>
#include <mutex>
#include <vector>

#include "core/capture/gpu_source.h"

namespace ts::capture {

// The functions of CUDA events that are needed; a stand-in in tests. Any thread.
struct DeviceEvents {
  // An event after everything that the calling thread has launched on its current stream; null if
  // none can be created.
  void* (*record)();
  bool (*done)(void* event);
  std::int64_t (*nanoseconds)(void* from, void* to);  // between two completed events
  void (*release)(void* event);
  // Device of the calling thread.
  std::uint32_t (*device)();
  std::uint32_t (*stream)();
  // Waits for the device of the calling thread.
  void (*synchronize)();
};

// Times operators on the device where CUPTI cannot: an event before the outermost operator of a
// thread and one after it. The records look like kernel records with the names of their operators,
// accurate to about 10 microseconds; the kernels inside are not known. This is the part of a
// GpuSource that does it: push(), pop() and flush() on any thread.
class EventRecorder {
 public:
  explicit EventRecorder(const DeviceEvents& events) : events_(events) {}

  void set_buffers(const GpuBuffers& buffers) { buffers_ = buffers; }
  // The device must be idle; its clock is aligned with the host's here.
  const char* begin(const GpuSink& sink);
  // Precondition: all recorded work is complete.
  void end();
  void flush();
  void push(std::uint64_t id) noexcept;
  void pop() noexcept;
  void read(const std::uint8_t* buffer, std::size_t bytes) const;
  // Runs an operator that does nothing, and waits for it.
  const char* touch();

 private:
  // One operator; the begin event is null when none could be created.
  struct Timed {
    std::uint64_t id = 0;
    std::uint32_t device = 0;
    std::uint32_t stream = 0;
    GpuKind kind = GpuKind::kernel;
    void* begin = nullptr;
    void* end = nullptr;
  };
  struct Open {
    int depth = 0;
    Timed timed;
  };
  static Open& open() noexcept;
  void close(Timed timed);
  void bring();
  void write(const std::vector<Timed>& done);

  const DeviceEvents events_;
  GpuBuffers buffers_{};
  GpuSink sink_{};
  std::mutex mutex_;
  std::vector<Timed> waiting_;
  bool recording_ = false;
  std::mutex bringing_;  // guards the members below; taken before mutex_
  void* base_ = nullptr;
  std::int64_t base_ns_ = 0;
  std::uint32_t last_number_ = 0;
};

}  // namespace ts::capture
