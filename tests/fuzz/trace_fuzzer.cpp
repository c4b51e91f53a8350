// The entry of libFuzzer; see CMakeLists.txt.
#include <cstddef>
#include <cstdint>

#include "tests/fuzz/trace_target.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  ts::fuzz::feed_trace({reinterpret_cast<const char*>(data), size});
  return 0;
}
