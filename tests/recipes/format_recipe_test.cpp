// A format that opens, added as docs/extending.md says: a reader, and its line in opened_file.cpp.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/files/opened_file.h"
#include "core/io/file.h"
#include "tests/io/temporary_folder.h"

namespace ts::files {
namespace {

TEST(Recipes, a_format_opens_as_a_run) {
  const io::testing::TemporaryFolder folder;
  const auto path = folder.path() / "one.example";
  ASSERT_TRUE(io::write_file(path, "example 512"));
  const auto opened = open_file(path);
  ASSERT_TRUE(opened) << opened.error().sentence;
  ASSERT_EQ((*opened)->devices.size(), 1U);
  EXPECT_EQ((*opened)->devices[0].run.memory.peak_bytes(), 512);
  ASSERT_TRUE(io::write_file(path, "example none"));
  EXPECT_FALSE(open_file(path));
}

}  // namespace
}  // namespace ts::files
