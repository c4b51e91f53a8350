#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "core/io/json_scanner.h"
#include "core/trace_file/trace_file.h"

namespace ts::trace_file {

// One entry of traceEvents as it is written. Private to this folder.
struct RawEvent {
  io::JsonScanner::String name;
  io::JsonScanner::String category;
  char phase = 0;
  std::string_view process;  // a number, or a text without its quotes
  std::string_view thread;
  std::string_view id;
  std::string_view time;
  std::string_view duration;
  // From the event's args.
  std::string_view correlation;
  std::string_view external;
  std::string_view device;
  std::string_view device_type;
  std::string_view device_id;
  std::string_view stream;
  std::string_view dims;
  std::string_view types;
  std::string_view grid;
  std::string_view block;
  std::string_view registers;
  std::string_view shared_memory;
  std::string_view address;
  std::string_view bytes;   // of memory events
  std::string_view copied;  // of copies and fills
  std::string_view total_allocated;
  std::string_view total_reserved;
  io::JsonScanner::String module;
  io::JsonScanner::String value_name;  // "name" among args, for names of threads
};

// Reads an object, which must be next. Returns false if it does not end correctly.
bool read_event(io::JsonScanner& scanner, RawEvent& event);

// Converts microseconds with any number of decimals to exact nanoseconds. 0 if it is no number;
// large numbers are clamped so that sums of them cannot overflow.
std::int64_t nanoseconds(std::string_view microseconds);
// Whether it is one, and not NaN or Infinity, which Python's json module writes.
bool is_number(std::string_view text);
// Returns kNoNumber if the text is no integer.
std::int64_t integer(std::string_view text);
// The number of a device, or -1.
std::int32_t small_number(std::string_view text);
// Reads "[4, 1, 1]"; missing ones are 0.
std::array<std::int32_t, 3> triple(std::string_view list);

EventKind kind_of(std::string_view category, std::string_view process);
FlowEnd::Kind flow_kind_of(std::string_view category);
std::int64_t flow_id_of(std::string_view written);

// The kinds whose events lie on a stream of a device.
bool is_on_device(EventKind kind);
// The device of such an event.
std::int32_t device_of(const RawEvent& event);
// The device of a memory event; -1: the host.
std::int32_t memory_device_of(const RawEvent& event);

}  // namespace ts::trace_file
