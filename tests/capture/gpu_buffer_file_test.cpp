#include "core/capture/gpu_buffer_file.h"

#include <gtest/gtest.h>

#include <cstring>
#include <vector>

namespace ts::capture {
namespace {

GpuBufferFile sample() {
  static const char* const name = "ampere_sgemm_128x64_tn";
  GpuBufferFile file;
  file.cupti_version = 130001;
  file.begin_buffer();
  const std::uint64_t first[] = {1, 2, 3};
  file.add_record(first, sizeof(first));
  const std::uint64_t second[] = {4, 5};
  file.add_record(second, sizeof(second));
  file.begin_buffer();
  file.begin_buffer();
  file.add_record(first, 8);
  file.add_text(name);
  file.add_text(name);
  file.add_text(nullptr);
  return file;
}

TEST(GpuBufferFile, what_is_written_is_read) {
  const GpuBufferFile file = sample();
  const auto again = GpuBufferFile::parse(file.bytes());
  ASSERT_TRUE(again) << again.error().sentence;
  EXPECT_EQ(again->bytes(), file.bytes());
  EXPECT_EQ(again->cupti_version, 130001U);
  ASSERT_EQ(again->buffer_count(), 3U);
  EXPECT_EQ(again->record_count(0), 2U);
  EXPECT_EQ(again->record_count(1), 0U);
  EXPECT_EQ(again->record_count(2), 1U);
  const auto record = again->record(0, 1);
  ASSERT_EQ(record.size(), 16U);
  std::uint64_t number = 0;
  std::memcpy(&number, record.data(), sizeof(number));
  EXPECT_EQ(number, 4U);
}

TEST(GpuBufferFile, texts_are_found_by_the_address_they_had) {
  const char* const name = "a kernel";
  GpuBufferFile file;
  file.add_text(name);
  const auto again = GpuBufferFile::parse(file.bytes());
  ASSERT_TRUE(again);
  EXPECT_STREQ(again->text(name), "a kernel");
  EXPECT_EQ(again->text(name + 1), nullptr);
  EXPECT_EQ(again->text(nullptr), nullptr);
}

TEST(GpuBufferFile, records_that_cannot_be_are_left_out) {
  GpuBufferFile file;
  const std::vector<std::uint64_t> long_one(GpuBufferFile::kMostRecordBytes / 8 + 1);
  file.add_record(long_one.data(), long_one.size() * 8);
  file.add_record(long_one.data(), 12);
  file.add_record(long_one.data(), 0);
  EXPECT_EQ(file.buffer_count(), 0U);
  file.add_record(long_one.data(), GpuBufferFile::kMostRecordBytes);
  EXPECT_EQ(file.record_count(0), 1U) << "without a buffer it begins one";
}

TEST(GpuBufferFile, every_truncation_has_its_sentence) {
  const std::string bytes = sample().bytes();
  int whole = 0;
  for (std::size_t length = 0; length < bytes.size(); ++length) {
    const auto file = GpuBufferFile::parse(bytes.substr(0, length));
    // Between two pieces a shorter file is whole.
    if (file) {
      ++whole;
    } else {
      EXPECT_NE(file.error().sentence.find("GPU records"), std::string::npos);
    }
  }
  EXPECT_EQ(whole, 4) << "after the first line and after each piece but the last";
}

TEST(GpuBufferFile, other_versions_and_other_files_are_refused) {
  std::string bytes = sample().bytes();
  bytes[8] = 2;
  EXPECT_EQ(GpuBufferFile::parse(bytes).error().sentence,
            "The file of GPU records has version 2; this program reads 1");
  EXPECT_EQ(GpuBufferFile::parse("{}").error().sentence, "This is no file of GPU records");
  std::string odd = GpuBufferFile().bytes() + "X";
  EXPECT_EQ(GpuBufferFile::parse(odd).error().sentence,
            "The file of GPU records has a piece of an unknown kind at byte 17");
  // A length that would take all memory is refused for what follows it.
  const std::string huge =
      GpuBufferFile().bytes() + std::string("B\xFF\xFF\xFF\xFF\x08\0\0\0", 9) + "12345678";
  EXPECT_EQ(GpuBufferFile::parse(huge).error().sentence,
            "The file of GPU records ends within a buffer at byte 33");
}

}  // namespace
}  // namespace ts::capture
