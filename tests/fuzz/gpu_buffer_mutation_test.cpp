// Damaged files of GPU records: each is read or refused with a sentence, and what was read can be
// written and read again.
#include <gtest/gtest.h>

#include <random>
#include <string>
#include <vector>

#include "core/capture/gpu_buffer_file.h"
#include "tests/fuzz/mutator.h"

namespace ts::fuzz {
namespace {

std::vector<std::string> files() {
  std::vector<std::string> all;
  std::mt19937_64 random(5);
  for (int i = 0; i < 10; ++i) {
    capture::GpuBufferFile file;
    file.cupti_version = 130001;
    for (int buffer = 0; buffer < i; ++buffer) {
      file.begin_buffer();
      for (std::uint64_t record = random() % 6; record > 0; --record) {
        std::vector<std::uint64_t> words(1 + random() % 27, random());
        file.add_record(words.data(), words.size() * 8);
      }
    }
    static const char* const kNames[] = {"", "one", "void at::native::two<float>(float)"};
    for (const char* name : kNames) file.add_text(name);
    all.push_back(file.bytes());
  }
  return all;
}

class DamagedGpuBuffers : public ::testing::TestWithParam<int> {};

TEST_P(DamagedGpuBuffers, are_read_or_refused) {
  Mutator mutator(files(), static_cast<std::uint64_t>(GetParam()));
  int read = 0;
  for (int i = 0; i < 10'000; ++i) {
    const auto file = capture::GpuBufferFile::parse(mutator.next());
    if (!file) {
      ASSERT_FALSE(file.error().sentence.empty());
      continue;
    }
    ++read;
    for (std::size_t b = 0; b < file->buffer_count(); ++b) {
      for (std::size_t r = 0; r < file->record_count(b); ++r) {
        const auto record = file->record(b, r);
        ASSERT_EQ(reinterpret_cast<std::uintptr_t>(record.data()) % 8, 0U);
        ASSERT_EQ(record.size() % 8, 0U);
      }
    }
    const auto again = capture::GpuBufferFile::parse(file->bytes());
    ASSERT_TRUE(again);
    ASSERT_EQ(again->bytes(), file->bytes());
  }
  EXPECT_GT(read, 100) << "most damage falls into the records themselves";
}

INSTANTIATE_TEST_SUITE_P(Round, DamagedGpuBuffers, ::testing::Range(0, 3));

}  // namespace
}  // namespace ts::fuzz
