#include "core/io/file_mark.h"

#include <gtest/gtest.h>
#include <sys/stat.h>

#include "core/io/file.h"
#include "tests/io/temporary_folder.h"

namespace ts::io {
namespace {

TEST(FileMark, is_the_size_and_the_crc_of_the_bytes) {
  const testing::TemporaryFolder folder;
  // The check value of CRC-32/ISO-HDLC, in the catalogue of CRC algorithms.
  ASSERT_TRUE(write_file(folder / "check", "123456789"));
  EXPECT_EQ(file_mark(folder / "check").value(), (FileMark{9, 0xCBF43926}));
  ASSERT_TRUE(write_file(folder / "empty", ""));
  EXPECT_EQ(file_mark(folder / "empty").value(), FileMark());
  // zlib.crc32(b"a" * 3_000_001) of Python.
  ASSERT_TRUE(write_file(folder / "long", std::string(3'000'001, 'a')));
  EXPECT_EQ(file_mark(folder / "long").value(), (FileMark{3'000'001, 0xA8B40752}));
}

TEST(FileMark, of_what_is_no_file_is_an_error) {
  const testing::TemporaryFolder folder;
  EXPECT_FALSE(file_mark(folder / "missing"));
  EXPECT_FALSE(file_mark(folder.path()));
  ASSERT_EQ(::mkfifo((folder / "pipe").c_str(), 0600), 0);
  EXPECT_FALSE(file_mark(folder / "pipe"));
}

}  // namespace
}  // namespace ts::io
