#pragma once

#include <cstddef>
#include <cstdint>

#include "core/base/string_table.h"
#include "core/capture/gpu_record.h"

namespace ts::capture {

// Gives CUPTI buffers for its records and receives the filled ones; called on CUPTI's threads.
// take() returns null when there is no room; fill() passes the number of bytes with records and the
// number of lost records.
struct GpuBuffers {
  void* user;
  std::uint8_t* (*take)(void* user, std::size_t* bytes);
  void (*fill)(void* user, std::uint8_t* buffer, std::size_t bytes, std::uint64_t lost);
};
// Receives the records and interns their texts; called by read() only.
struct GpuSink {
  void* user;
  base::StringId (*intern)(void* user, const char* text, std::size_t length);
  void (*take)(void* user, const GpuRecord& record);
  // Receives the records in their original form and the texts they point to (gpu_buffer_file.h);
  // null when they are not kept. A text may come many times.
  void (*keep_record)(void* user, const void* record, std::size_t bytes);
  void (*keep_text)(void* user, const char* text);
};

// Marks launches with the operator that made them (correlation_id()). Any thread.
struct LaunchMarks {
  void (*push)(std::uint64_t id) noexcept;  // until pop(), on the calling thread
  void (*pop)() noexcept;
};

// Interface to what records a device: CUPTI, or a stand-in in tests. Plain functions, because it is
// in another library. Functions that can fail return null or a sentence that stays valid until the
// next call. Worker thread, unless stated otherwise.
struct GpuSource {
  // Checks that recording works, and takes the buffers; called again before every recording, then
  // without effect.
  const char* (*prepare)(const GpuBuffers& buffers);
  // Everything on all devices is recorded between begin() and end(). end() delivers the remaining
  // records; the device must be idle.
  const char* (*begin)(const GpuSink& sink);
  const char* (*end)();
  // Delivers the buffers whose records are complete, without waiting for the device. Any thread;
  // calls fill() inside.
  void (*flush)();
  LaunchMarks marks;
  // Passes the records of a filled buffer to the sink of the last begin(). One thread at a time.
  void (*read)(const std::uint8_t* buffer, std::size_t bytes);
  // Writes a few bytes on the device, which must produce a record; waits for it.
  const char* (*touch)(int device);
  // The clock of its records, in nanoseconds, right now; null if that is base::now_ns() itself. Any
  // thread.
  std::int64_t (*clock)() = nullptr;
};

}  // namespace ts::capture
