#pragma once

namespace ts::app::testing {

// A snapshot with blocks of two streams: 100 bytes of one, 700 and 900 of another.
inline constexpr const char* kTwoStreams = R"({"segments": [], "device_traces": [[
  {"action": "alloc", "addr": 4096, "size": 100, "stream": 0, "time_us": 1},
  {"action": "alloc", "addr": 8192, "size": 700, "stream": 7, "time_us": 2},
  {"action": "alloc", "addr": 9216, "size": 900, "stream": 7, "time_us": 3}]]})";

}  // namespace ts::app::testing
