#include "core/spec/corpus.h"

#include <gtest/gtest.h>

#include "tests/io/temporary_folder.h"

namespace ts::spec {
namespace {

class CorpusOfSpec : public ::testing::Test {
 protected:
  CorpusOfSpec() {
    io::testing::put(folder_ / "text.txt", "to be or not to be");  // 18 characters, 7 different
    spec_.workload = WorkloadKind::lm;
    spec_.seq_len = 16;
    spec_.vocab = 256;
    spec_.corpus = (folder_ / "text.txt").string();
  }

  io::testing::TemporaryFolder folder_;
  WorkloadSpec spec_;
};

TEST_F(CorpusOfSpec, must_hold_a_sequence_and_the_next_token) {
  EXPECT_EQ(corpus_problem(spec_).sentence, "");
  spec_.seq_len = 17;
  EXPECT_EQ(corpus_problem(spec_).sentence, "");
  spec_.seq_len = 18;
  EXPECT_EQ(corpus_problem(spec_).sentence,
            "The corpus " + spec_.corpus +
                " has 18 tokens, T = 18 needs at least 19: lower T or take "
                "a longer text");
}

TEST_F(CorpusOfSpec, must_fit_the_vocabulary) {
  spec_.vocab = 255;
  EXPECT_NE(corpus_problem(spec_).sentence.find("256 different tokens, vocab is 255"),
            std::string::npos);
  spec_.tokenizer = Tokenizer::character;
  EXPECT_EQ(corpus_problem(spec_).sentence, "");
  spec_.vocab = 6;
  EXPECT_NE(corpus_problem(spec_).sentence.find("7 different tokens"), std::string::npos);
}

TEST_F(CorpusOfSpec, matters_to_language_models_only) {
  spec_.corpus = "/nowhere";
  EXPECT_EQ(corpus_problem(spec_).sentence, "There is no corpus /nowhere");
  spec_.workload = WorkloadKind::block;
  EXPECT_EQ(corpus_problem(spec_).sentence, "");
  EXPECT_FALSE(reads_corpus(spec_));
}

}  // namespace
}  // namespace ts::spec
