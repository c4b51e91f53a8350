#pragma once

#include <cstddef>
#include <cstdint>

#include "core/capture/gpu_source.h"

namespace ts::kernels::cupti {

// The only user of CUPTI in the process; CUPTI has one set of callbacks and one clock. Worker
// thread, unless said otherwise. Functions that can fail return null or a sentence that stays valid
// until the next call.

// Checks versions, registers callbacks and our clock; once, before the first recording.
const char* prepare(const capture::GpuBuffers& buffers);
// From begin to end everything on all devices is recorded. end() delivers the records; the device
// must be idle.
const char* begin(const capture::GpuSink& sink);
const char* end();
// Delivers the buffers whose records are complete, without waiting for the device. Any thread; the
// callbacks run inside.
void flush();
// The current time of CUPTI's time stamps; our clock if CUPTI reports none. Any thread.
std::int64_t clock();
// Marks the launches of the calling thread until pop(). Any thread.
void push(std::uint64_t id) noexcept;
void pop() noexcept;
// Passes the records of a filled buffer to the sink of the last begin(). One thread at a time.
void read(const std::uint8_t* buffer, std::size_t bytes);

}  // namespace ts::kernels::cupti
