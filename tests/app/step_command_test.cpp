// `tensorscope step`: the list, a table in each format, the card of the tiles, and wrong input.
#include <gtest/gtest.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <string>

#include "tests/app/program.h"

namespace ts::app::testing {
namespace {

TEST(StepCommand, ListsAllAndShowsEachStep) {
  const Ended list = run_program("step");
  EXPECT_EQ(list.code, 0) << list.err;
  EXPECT_NE(list.out.find("\n    T=128 d_head=64 "), std::string::npos) << list.out;
  const Ended sums = run_program("step sums additions=2");
  EXPECT_EQ(sums.code, 0) << sums.err;
  EXPECT_NE(sums.out.find("Addition 2 of 0.01"), std::string::npos) << sums.out;
}

TEST(StepCommand, WritesEachFormatByTheNameOfTheFile) {
  const TemporaryFolder folder;
  const auto csv = folder.path() / "sums.csv";
  EXPECT_EQ(run_program("step sums --out " + csv.string()).code, 0);
  const std::string table = read(csv);
  EXPECT_EQ(
      table.substr(0, table.find('\n')),
      "step,exact,fp32,fp32_lost,fp16,fp16_lost,bf16,bf16_lost,fp32_fp16,fp32_fp16_lost,said");
  EXPECT_NE(table.find("\n1000,10,10.000133"), std::string::npos)
      << table.substr(table.size() - 200);
  EXPECT_NE(table.find(",9.953125,"), std::string::npos);
  const auto tiles = document_of(run_program("step tiles --format json T=64 causal=0"));
  EXPECT_EQ(tiles["inputs"]["T"], 64);
  EXPECT_EQ(tiles["steps"].size(), 2U * (1 + 2 + 1));
  EXPECT_LT(tiles["figures"]["largest_error"], 1e-5);
  EXPECT_NE(run_program("step softmax --format tex").out.find("\\toprule"), std::string::npos);
  EXPECT_EQ(run_program("step softmax --lang zh-TW").code, 0);
}

TEST(StepCommand, TheCardSaysWhatFits) {
  const auto large = document_of(
      run_program("step tiles --format json T=64 d_head=128 block_q=64 block_k=64 element_bytes=4 "
                  "--gpu 'rtx 4060 laptop'"));
  EXPECT_EQ(large["shared_memory"]["limit"], 101'376);
  EXPECT_EQ(large["shared_memory"]["fits"], false);
  EXPECT_EQ(large["figures"]["shared_total"], 114'688);
  const Ended fits = run_program("step tiles --gpu 'a100 80 gb sxm'");
  EXPECT_NE(fits.out.find("These tiles fit A100 80 GB SXM"), std::string::npos) << fits.out;
}

TEST(StepCommand, WrongInputIsOneSentence) {
  for (const char* const arguments :
       {"step nothing", "step tiles T", "step tiles T=0", "step tiles T=x", "step tiles rows=8",
        "step tiles --format pdf", "step tiles --lang xx", "step --out file.md",
        "step sums --gpu a100", "step tiles --gpu nothing"}) {
    const Ended ended = run_program(arguments);
    EXPECT_EQ(ended.code, 2) << arguments;
    EXPECT_EQ(ended.out, "") << arguments;
    EXPECT_EQ(std::ranges::count(ended.err, '\n'), 1) << ended.err;
  }
}

}  // namespace
}  // namespace ts::app::testing
