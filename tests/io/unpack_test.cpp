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

TEST(Unpack, AFileIsPackedWhereItsNameSaysSo) {
  const testing::TemporaryFolder folder;
  std::string all;
  const auto produce = [&all](const WritePiece& write) {
    all.clear();
    for (int i = 0; i < 40'000; ++i) {
      const std::string piece =
          std::to_string(i * 7919) + (i % 3 == 0 ? std::string(300, 'x') : "");
      all += piece;
      write(piece);
    }
  };
  ASSERT_TRUE(write_as_named(folder / "a.json", produce));
  EXPECT_EQ(testing::content_of(folder / "a.json"), all);
  ASSERT_TRUE(write_as_named(folder / "a.json.gz", produce));
  const std::string packed = testing::content_of(folder / "a.json.gz");
  EXPECT_LT(packed.size(), all.size() / 4);
  const auto file = unpack(packed);
  ASSERT_TRUE(file) << file.error().sentence;
  EXPECT_EQ(file->fault.sentence, "");
  EXPECT_EQ(file->content, all);
  ASSERT_TRUE(write_as_named(folder / "none.gz", [](const WritePiece& /*write*/) {}));
  EXPECT_TRUE(testing::content_of(folder / "none.gz").starts_with("\x1F\x8B"));
  const auto nowhere =
      write_as_named_unless(folder / "b.gz", [](const WritePiece& write) -> base::Result<void> {
        write("half");
        return base::fail("no more");
      });
  ASSERT_FALSE(nowhere);
  EXPECT_FALSE(std::filesystem::exists(folder / "b.gz"));
}

TEST(Unpack, TheEndingBeforeThatOfGzipTellsTheFormat) {
  EXPECT_EQ(unpacked_name("x/a.json.gz"), "x/a.json");
  EXPECT_EQ(unpacked_name("x.gz/a.pickle"), "x.gz/a.pickle");
  EXPECT_EQ(unpacked_name("a.gz").extension(), "");
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
