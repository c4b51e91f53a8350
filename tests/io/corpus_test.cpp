#include "core/io/corpus.h"

#include <gtest/gtest.h>
#include <sys/stat.h>

#include <fstream>
#include <span>
#include <string>
#include <vector>

#include "tests/io/temporary_folder.h"

namespace ts::io {
namespace {

using Tokens = Corpus::Tokens;

class CorpusTest : public ::testing::Test {
 protected:
  std::filesystem::path file(const std::string& content) {
    const auto path = folder_.path() / "text.txt";
    std::ofstream(path, std::ios::binary) << content;
    return path;
  }
  std::string sentence(const std::string& content, Tokens tokens) {
    const auto corpus = Corpus::open(file(content), tokens);
    return corpus ? "opened" : corpus.error().sentence;
  }
  static std::vector<std::int64_t> all(const Corpus& corpus) {
    std::vector<std::int64_t> tokens(static_cast<std::size_t>(corpus.size()));
    const auto read = corpus.read(0, tokens);
    EXPECT_TRUE(read) << read.error().sentence;
    return tokens;
  }
  testing::TemporaryFolder folder_;
};

TEST_F(CorpusTest, bytes_are_tokens) {
  const auto corpus = Corpus::open(file("ab\n\xc3\xa9"), Tokens::bytes);
  ASSERT_TRUE(corpus) << corpus.error().sentence;
  EXPECT_EQ(corpus->size(), 5);
  EXPECT_EQ(corpus->vocab(), 256);
  EXPECT_EQ(all(*corpus), (std::vector<std::int64_t>{97, 98, 10, 0xc3, 0xa9}));
  EXPECT_EQ(corpus->text_of(all(*corpus)), "ab\n\xc3\xa9");
  EXPECT_EQ(corpus->text_of(std::vector<std::int64_t>{0xc3, 97}),
            "\xef\xbf\xbd"
            "a");
}

TEST_F(CorpusTest, characters_are_ranked_as_python_sorts_them) {
  // sorted(set("hello \u00e9\u4e2d")) is ' ', e, h, l, o, \u00e9, \u4e2d.
  const auto corpus = Corpus::open(file("hello \xc3\xa9\xe4\xb8\xad"), Tokens::characters);
  ASSERT_TRUE(corpus) << corpus.error().sentence;
  EXPECT_EQ(corpus->vocab(), 7);
  EXPECT_EQ(all(*corpus), (std::vector<std::int64_t>{2, 1, 3, 3, 4, 0, 5, 6}));
  EXPECT_EQ(corpus->text_of(std::vector<std::int64_t>{6, 2, 99}),
            "\xe4\xb8\xad"
            "h\xef\xbf\xbd");
}

TEST_F(CorpusTest, reads_from_anywhere) {
  const auto corpus = Corpus::open(file("0123456789"), Tokens::bytes);
  std::vector<std::int64_t> tokens(3);
  ASSERT_TRUE(corpus->read(7, tokens));
  EXPECT_EQ(tokens, (std::vector<std::int64_t>{'7', '8', '9'}));
}

TEST_F(CorpusTest, what_is_no_text_is_said) {
  EXPECT_NE(sentence("", Tokens::bytes).find("is empty"), std::string::npos);
  EXPECT_NE(sentence(std::string("ab\0c", 4), Tokens::bytes).find("no text: byte 2 is 0x00"),
            std::string::npos);
  EXPECT_NE(sentence("ab\xff", Tokens::characters).find("no text: byte 2 is 0xFF"),
            std::string::npos);
  EXPECT_NE(sentence("a\xc0\x80", Tokens::characters).find("0xC0"), std::string::npos);
  EXPECT_EQ(sentence("fine \xf0\x9f\x99\x82", Tokens::characters), "opened");
  const auto none = Corpus::open(folder_.path() / "nowhere", Tokens::bytes);
  EXPECT_EQ(none.error().sentence, "There is no corpus " + (folder_.path() / "nowhere").string());
  const auto folder = Corpus::open(folder_.path(), Tokens::bytes);
  EXPECT_NE(folder.error().sentence.find("is no file"), std::string::npos);
}

// Each would be read as a character that has a shorter form, as half of one, or as none at all.
TEST_F(CorpusTest, overlong_and_other_broken_characters_are_no_text) {
  struct Case {
    const char* bytes;
    bool text;
  };
  for (const Case& one :
       {Case{"\xc0\xaf", false}, Case{"\xc1\xbf", false}, Case{"\xc2\x80", true},
        Case{"\xe0\x80\xaf", false}, Case{"\xe0\x9f\xbf", false}, Case{"\xe0\xa0\x80", true},
        Case{"\xed\x9f\xbf", true}, Case{"\xed\xa0\x80", false}, Case{"\xed\xbf\xbf", false},
        Case{"\xf0\x80\x80\xaf", false}, Case{"\xf0\x8f\xbf\xbf", false},
        Case{"\xf0\x90\x80\x80", true}, Case{"\xf4\x8f\xbf\xbf", true},
        Case{"\xf4\x90\x80\x80", false}, Case{"\xf5\x80\x80\x80", false}, Case{"\x80", false},
        Case{"\xc3", false}, Case{"\xe4\xb8", false}, Case{"\xe4\x41\xad", false}}) {
    for (const Tokens tokens : {Tokens::bytes, Tokens::characters}) {
      const std::string said = sentence(std::string("ab") + one.bytes, tokens);
      if (one.text) {
        EXPECT_EQ(said, "opened") << one.bytes;
      } else {
        EXPECT_NE(said.find("no text: byte 2"), std::string::npos) << said;
      }
    }
  }
}

TEST_F(CorpusTest, a_file_that_is_cut_while_it_is_read_is_an_error) {
  const auto path = file(std::string(100'000, 'a'));
  const auto corpus = Corpus::open(path, Tokens::bytes);
  ASSERT_TRUE(corpus);
  std::filesystem::resize_file(path, 10);
  std::vector<std::int64_t> tokens(20);
  const auto read = corpus->read(90'000, tokens);
  ASSERT_FALSE(read);
  EXPECT_NE(read.error().sentence.find("was cut while it was read"), std::string::npos);
  EXPECT_NE(corpus->read(0, tokens).error().sentence.find("ends at byte 10"), std::string::npos);
  EXPECT_TRUE(corpus->read(0, std::span(tokens).first(10)));
}

TEST_F(CorpusTest, pipes_and_devices_are_refused_without_waiting) {
  const auto pipe = folder_.path() / "pipe";
  ASSERT_EQ(::mkfifo(pipe.c_str(), 0600), 0);
  for (const std::filesystem::path& path : {pipe, std::filesystem::path("/dev/zero")}) {
    const auto corpus = Corpus::open(path, Tokens::characters);
    ASSERT_FALSE(corpus);
    EXPECT_NE(corpus.error().sentence.find("is no file"), std::string::npos);
  }
}

TEST_F(CorpusTest, a_character_across_the_end_of_what_is_looked_at_is_no_fault) {
  std::string text((std::size_t{1} << 20) - 1, 'a');
  text += "\xc3\xa9 and more";
  EXPECT_EQ(sentence(text, Tokens::bytes), "opened");
}

}  // namespace
}  // namespace ts::io
