// The entry of libFuzzer for one reader, whose function TENSORSCOPE_FUZZED names: see
// CMakeLists.txt.
#include <cstddef>
#include <cstdint>
#include <string>

#include "tests/fuzz/reader_targets.h"
#include "tests/fuzz/snapshot_target.h"
#include "tests/fuzz/trace_target.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  ts::fuzz::TENSORSCOPE_FUZZED(std::string(reinterpret_cast<const char*>(data), size));
  return 0;
}
