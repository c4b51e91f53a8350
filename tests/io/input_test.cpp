// Files that are read in pieces.
#include "core/io/input.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <string>

#include "core/io/unpack.h"
#include "tests/io/gzip_bytes.h"
#include "tests/io/temporary_folder.h"

namespace ts::io {
namespace {

using testing::gzipped;

std::string numbers(int count) {
  std::string text;
  for (int i = 0; i < count; ++i) text += std::to_string(std::int64_t{i} * 7919 % 10007) + ",";
  return text;
}

// All of it, of which `keep` bytes stay in view at each step.
std::string read_all(Input& input, std::size_t keep) {
  std::string all(input.text());
  while (true) {
    const std::size_t kept = std::min(keep, input.text().size());
    const std::uint64_t end = input.offset() + input.text().size();
    if (!input.more(input.text().size() - kept)) break;
    EXPECT_EQ(input.offset() + kept, end);
    EXPECT_EQ(input.text().substr(0, kept), std::string_view(all).substr(all.size() - kept));
    all += input.text().substr(kept);
  }
  EXPECT_TRUE(input.ended());
  return all;
}

TEST(Input, ComesWholeInPiecesOfEverySize) {
  const std::string text = numbers(2'000);
  for (const std::size_t piece : {2U, 7U, 1000U, 1U << 20U}) {
    for (const std::size_t keep : {0U, 1U, 5U, 100U}) {
      Input input = Input::in_pieces(text, piece);
      EXPECT_EQ(read_all(input, keep), text) << piece << ' ' << keep;
    }
  }
}

TEST(Input, WhatIsLongerThanAPieceGrows) {
  const std::string text = numbers(200'000);
  Input input = Input::in_pieces(text, 1'000);
  std::size_t steps = 0;
  while (input.more(0)) ++steps;
  EXPECT_EQ(input.text(), text);
  EXPECT_LT(steps, 200U) << "as much again at a time";
  EXPECT_EQ(input.offset(), 0U);
}

TEST(Input, OfAFileIsTheSame) {
  const testing::TemporaryFolder folder;
  const std::string text = numbers(700'000);
  ASSERT_TRUE(write_file(folder / "a", text));
  auto file = Input::open(folder / "a");
  ASSERT_TRUE(file);
  EXPECT_EQ(file->expected(), text.size());
  EXPECT_EQ(file->packed(), 0U);
  EXPECT_LT(file->text().size(), text.size()) << "not all at once";
  EXPECT_EQ(read_all(*file, 10), text);
  EXPECT_EQ(Input::open(folder / "a")->rest(), text);
  auto beginning = Input::open(folder / "a", {.most = 1'234});
  EXPECT_EQ(read_all(*beginning, 0), text.substr(0, 1'234));
  EXPECT_EQ(Input::of(text).rest(), text);
  EXPECT_NE(Input::open(folder / "none").error().sentence.find("No such file"), std::string::npos);
}

TEST(Input, IsUnpackedOnTheWay) {
  const testing::TemporaryFolder folder;
  const std::string text = numbers(700'000);
  const std::string packed = gzipped(text.substr(0, 1'000'000)) + gzipped(text.substr(1'000'000));
  ASSERT_TRUE(write_file(folder / "a.gz", packed));
  auto file = Input::open(folder / "a.gz");
  ASSERT_TRUE(file);
  EXPECT_EQ(file->packed(), packed.size());
  EXPECT_EQ(read_all(*file, 10), text);
  EXPECT_EQ(file->fault().sentence, "");
  auto beginning = Input::open(folder / "a.gz", {.most = 1'234});
  EXPECT_EQ(read_all(*beginning, 0), text.substr(0, 1'234));
  for (const std::size_t piece : {2U, 100U, 5'000U}) {
    const std::string few = numbers(1'000);
    Input input = Input::in_pieces(gzipped(few) + gzipped("end") + std::string(50, '\0'), piece);
    EXPECT_EQ(read_all(input, 3), few + "end") << piece;
    EXPECT_EQ(input.fault().sentence, "");
  }
}

TEST(Input, SaysWhatUnpackSays) {
  const std::string text = numbers(50'000);
  std::string damaged = gzipped(text);
  damaged[damaged.size() / 2] = static_cast<char>(damaged[damaged.size() / 2] ^ 0x55);
  for (const std::string& packed : {gzipped(text).substr(0, 5'000), damaged}) {
    Input input = Input::in_pieces(packed, 500);
    const std::string content = read_all(input, 0);
    const auto whole = unpack(packed);
    ASSERT_TRUE(whole);
    EXPECT_EQ(content, whole->content);
    EXPECT_NE(input.fault().sentence, "");
    EXPECT_EQ(input.fault().sentence.substr(0, 15), whole->fault.sentence.substr(0, 15));
  }
}

// A gigabyte of nothing in a megabyte.
TEST(Input, IsRefusedWhereTooMuchComes) {
  const testing::TemporaryFolder folder;
  const std::string bomb = gzipped(std::string(kAlwaysUnpacked + (1U << 20U), '\0'));
  ASSERT_TRUE(write_file(folder / "bomb.gz", bomb));
  auto file = Input::open(folder / "bomb.gz");
  ASSERT_TRUE(file);
  while (file->more(file->text().size())) {
  }
  ASSERT_TRUE(file->problem());
  EXPECT_NE(file->problem()->sentence.find("bomb.gz"), std::string::npos);
  EXPECT_TRUE(Input::open(folder / "bomb.gz")->rest().empty());
}

TEST(Input, EndsWhenItIsCancelled) {
  const testing::TemporaryFolder folder;
  const std::string text = numbers(700'000);
  ASSERT_TRUE(write_file(folder / "a", text));
  ASSERT_TRUE(write_file(folder / "a.gz", gzipped(text)));
  for (const char* name : {"a", "a.gz"}) {
    base::Progress progress;
    auto file = Input::open(folder / name, {.progress = &progress});
    ASSERT_TRUE(file);
    progress.cancel();
    while (file->more(file->text().size())) {
    }
    const bool all = file->offset() == text.size();
    EXPECT_TRUE(all ||
                (file->problem() && file->problem()->sentence.find("stopped") != std::string::npos))
        << name;
    EXPECT_FALSE(Input::open(folder / name, {.progress = &progress}));
  }
}

}  // namespace
}  // namespace ts::io
