// The entry of libFuzzer for reading a snapshot alone, without what is asked of it afterwards: many
// times as many files a second as snapshot_fuzzer. See CMakeLists.txt.
#include <cstddef>
#include <cstdint>
#include <string>

#include "core/base/check.h"
#include "core/snapshot/snapshot_read.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const auto file =
      ts::snapshot::parse_snapshot(std::string(reinterpret_cast<const char*>(data), size));
  TS_CHECK(file || !file.error().sentence.empty());
  return 0;
}
