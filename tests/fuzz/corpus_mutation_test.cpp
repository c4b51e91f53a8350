// Damaged texts: each is opened or refused with a sentence, and every token of an opened one can be
// read, is below the vocabulary and spells valid UTF-8.
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "core/io/corpus.h"
#include "core/text/utf8.h"
#include "tests/fuzz/mutator.h"
#include "tests/io/temporary_folder.h"

namespace ts::fuzz {
namespace {

bool is_utf8(std::string_view text) {
  while (!text.empty()) {
    const std::size_t count = text::character_bytes(text);
    if (count == 0) return false;
    text.remove_prefix(count);
  }
  return true;
}

bool feed_corpus(const std::filesystem::path& path, io::Corpus::Tokens kind) {
  const auto corpus = io::Corpus::open(path, kind);
  if (!corpus) {
    EXPECT_FALSE(corpus.error().sentence.empty());
    return false;
  }
  std::vector<std::int64_t> tokens(static_cast<std::size_t>(corpus->size()));
  EXPECT_TRUE(corpus->read(0, tokens));
  for (const std::int64_t token : tokens) EXPECT_TRUE(token >= 0 && token < corpus->vocab());
  EXPECT_TRUE(is_utf8(corpus->text_of(tokens)));
  return true;
}

TEST(DamagedCorpora, AreReadOrRefused) {
  const io::testing::TemporaryFolder folder;
  const auto path = folder / "text.txt";
  Mutator mutator(
      {"To be, or not to be\n", "\xe4\xb8\xad\xe6\x96\x87 and \xf0\x9f\x99\x82 caf\xc3\xa9",
       std::string(300, 'x') + "\xe2\x82\xac\xed\x9f\xbf\xf4\x8f\xbf\xbf"},
      11);
  int read = 0;
  for (int i = 0; i < 4'000; ++i) {
    const std::string bytes = mutator.next();
    std::ofstream(path, std::ios::binary | std::ios::trunc) << bytes;
    const bool opened = feed_corpus(path, io::Corpus::Tokens::bytes);
    EXPECT_EQ(feed_corpus(path, io::Corpus::Tokens::characters), opened);
    const bool text = !bytes.empty() && is_utf8(bytes) && bytes.find('\0') == std::string::npos;
    EXPECT_EQ(opened, text) << i;
    read += opened ? 1 : 0;
  }
  EXPECT_GT(read, 400);
}

}  // namespace
}  // namespace ts::fuzz
