// The entry of libFuzzer for reading a trace alone, without what is asked of it afterwards: many
// times as many files a second as trace_fuzzer. See CMakeLists.txt.
#include <cstddef>
#include <cstdint>
#include <string>

#include "core/base/check.h"
#include "core/trace_file/trace_read.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const auto file =
      ts::trace_file::parse_trace(std::string(reinterpret_cast<const char*>(data), size));
  TS_CHECK(file || !file.error().sentence.empty());
  return 0;
}
