#include "core/io/unpack.h"

#include <gtest/gtest.h>

#include <fstream>
#include <string>

#include "tests/io/gzip_bytes.h"
#include "tests/io/temporary_folder.h"

namespace ts::io {
namespace {

using testing::gzipped;

std::string long_text() {
  std::string text;
  for (int i = 0; i < 100'000; ++i) text += std::to_string(i * 7919 % 10007) + ",";
  return text;
}

TEST(Unpack, GivesBackWhatWasPacked) {
  for (const std::string& text : {std::string("{}"), long_text(), std::string(3'000'000, 'x')}) {
    const auto file = unpack(gzipped(text));
    ASSERT_TRUE(file) << file.error().sentence;
    EXPECT_EQ(file->content, text);
    EXPECT_EQ(file->fault.sentence, "");
  }
  EXPECT_EQ(unpack("{}")->content, "{}") << "what is not packed stays as it is";
  EXPECT_EQ(unpack("")->content, "");
}

TEST(Unpack, SeveralMembersAreOneFileAndZerosFillUp) {
  const auto file = unpack(gzipped("one ") + gzipped("two") + std::string(100, '\0'));
  ASSERT_TRUE(file);
  EXPECT_EQ(file->content, "one two");
  EXPECT_EQ(file->fault.sentence, "");
}

TEST(Unpack, ACutOffFileKeepsItsBeginning) {
  const std::string text = long_text();
  const std::string packed = gzipped(text);
  const auto half = unpack(packed.substr(0, packed.size() / 2));
  ASSERT_TRUE(half);
  EXPECT_EQ(half->fault.sentence, "what gzip packed is cut off");
  EXPECT_GT(half->content.size(), 1000U);
  EXPECT_EQ(half->content, text.substr(0, half->content.size()));
  EXPECT_FALSE(unpack("\x1F\x8B")) << "nothing came of it";
}

TEST(Unpack, ADamagedFileSaysWhere) {
  std::string packed = gzipped(long_text());
  packed[packed.size() / 2] = static_cast<char>(packed[packed.size() / 2] ^ 0x55);
  packed[packed.size() / 2 + 1] = static_cast<char>(packed[packed.size() / 2 + 1] ^ 0x55);
  const auto file = unpack(packed);
  ASSERT_TRUE(file);
  EXPECT_NE(file->fault.sentence, "");
}

// A gigabyte of nothing in a megabyte: refused before it is there.
TEST(Unpack, ABombIsRefused) {
  const std::string piece = gzipped(std::string(std::size_t{64} << 20, ' '), Z_BEST_COMPRESSION);
  std::string bomb;
  for (int i = 0; i < 16; ++i) bomb += piece;
  ASSERT_LT(bomb.size(), kAlwaysUnpacked / kMostRatio);
  const auto file = unpack(bomb);
  ASSERT_FALSE(file);
  EXPECT_EQ(file.error().sentence,
            "it unpacks to more than 256 MiB, which no recording of its size does");
}

TEST(Unpack, AFileIsNamedInItsSentence) {
  const testing::TemporaryFolder folder;
  const auto path = folder / "a.gz";
  std::ofstream(path, std::ios::binary) << "\x1F\x8Bxyz";
  const auto file = read_unpacked(path);
  ASSERT_FALSE(file);
  EXPECT_NE(file.error().sentence.find("a.gz"), std::string::npos);
  EXPECT_NE(read_unpacked("/dev/null").error().sentence.find("device"), std::string::npos);
}

// Before a packed file is read its name and its size are all that is known.
TEST(Unpack, TheSizeOfAContentIsGuessedByTheName) {
  const testing::TemporaryFolder folder;
  for (const char* name : {"a.json", "a.json.gz"})
    std::ofstream(folder / name, std::ios::binary) << std::string(1000, 'x');
  EXPECT_EQ(likely_unpacked(folder / "a.json"), 1000U);
  EXPECT_EQ(likely_unpacked(folder / "a.json.gz"), 1000 * kUsualRatio);
  EXPECT_EQ(likely_unpacked(folder / "missing.gz"), 0U);
}

}  // namespace
}  // namespace ts::io
