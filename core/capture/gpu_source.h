#pragma once

#include <cstddef>
#include <cstdint>

#include "core/base/string_table.h"
#include "core/capture/gpu_record.h"

namespace ts::capture {

// Where CUPTI finds room for its records and brings what it filled; called on threads of CUPTI's.
// take() gives null when there is no room, fill() says how many bytes have records and how many
// records were lost.
struct GpuBuffers {
  void* user;
  std::uint8_t* (*take)(void* user, std::size_t* bytes);
  void (*fill)(void* user, std::uint8_t* buffer, std::size_t bytes, std::uint64_t lost);
};
// Who gets the records, and numbers for their texts; called by read() alone.
struct GpuSink {
  void* user;
  base::StringId (*intern)(void* user, const char* text, std::size_t length);
  void (*take)(void* user, const GpuRecord& record);
  // Who keeps the records as they came, and the texts they point to (gpu_buffer_file.h); null when
  // nobody does. A text may come many times.
  void (*keep_record)(void* user, const void* record, std::size_t bytes);
  void (*keep_text)(void* user, const char* text);
};

// How launches are marked with the operator that made them (correlation_id()). Any thread.
struct LaunchMarks {
  void (*push)(std::uint64_t id) noexcept;  // until pop(), on the calling thread
  void (*pop)() noexcept;
};

// What records a device: CUPTI, or a stand-in in tests. Plain functions, because it lives in
// another library. Functions that can fail return null or a sentence that stays valid until the
// next call. Worker thread, unless said otherwise.
struct GpuSource {
  // Checks that it can, and takes the buffers; again before every recording, which changes nothing.
  const char* (*prepare)(const GpuBuffers& buffers);
  // From begin to end everything on all devices is recorded. end() brings what is left; the device
  // must be idle.
  const char* (*begin)(const GpuSink& sink);
  const char* (*end)();
  // Brings the buffers whose records are complete, without waiting for the device. Any thread;
  // fill() is called inside.
  void (*flush)();
  LaunchMarks marks;
  // Gives what a filled buffer has to the sink of the last begin(). One thread at a time.
  void (*read)(const std::uint8_t* buffer, std::size_t bytes);
  // A write of a few bytes on the device, for which there must be a record; waits for it.
  const char* (*touch)(int device);
  // The clock that its records are of, in nanoseconds, right now; null where that is
  // base::now_ns() itself. Any thread.
  std::int64_t (*clock)() = nullptr;
};

}  // namespace ts::capture
