// `tensorscope calculate`: the list, a derivation in each format, and input that is wrong.
#include <gtest/gtest.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <string>

#include "tests/app/program.h"

namespace ts::app::testing {
namespace {

TEST(CalculateCommand, ListsAllAndShowsEachTermWithItsFormula) {
  const Ended list = run_program("calculate");
  EXPECT_EQ(list.code, 0) << list.err;
  EXPECT_NE(list.out.find("\n    params=7000000000 ranks=8 "), std::string::npos) << list.out;
  const Ended zero = run_program("calculate zero params=7.5e9 ranks=64 state_bytes=12");
  EXPECT_EQ(zero.code, 0) << zero.err;
  EXPECT_NE(zero.out.find("| 31,406,250,000 |"), std::string::npos) << zero.out;
  EXPECT_NE(zero.out.find("Source: ZeRO"), std::string::npos) << zero.out;
}

TEST(CalculateCommand, WritesEachFormat) {
  const auto json = document_of(run_program("calculate pipeline --format json micro_batches=16"));
  EXPECT_EQ(json["calculator"], "pipeline");
  EXPECT_EQ(json["inputs"]["micro_batches"], 16);
  EXPECT_EQ(json["terms"][2]["name"], "bubble");
  EXPECT_NEAR(json["terms"][2]["value"].get<double>(), 3.0 / 19, 1e-12);
  const TemporaryFolder folder;
  const auto file = folder.path() / "lora.csv";
  const Ended csv = run_program("calculate lora --format csv --out " + file.string());
  EXPECT_EQ(csv.code, 0) << csv.err;
  EXPECT_EQ(csv.out, "");
  EXPECT_NE(read(file).find("\"67,108,864\""), std::string::npos) << read(file);
  EXPECT_NE(run_program("calculate lora --format tex").out.find("\\toprule"), std::string::npos);
  const Ended chinese = run_program("calculate lora --lang zh-CN");
  EXPECT_EQ(chinese.code, 0) << chinese.err;
  EXPECT_NE(chinese.out.find("\xe5\x8f\x82\xe6\x95\xb0\xe9\x87\x8f"), std::string::npos);
}

TEST(CalculateCommand, WrongInputIsOneSentence) {
  for (const char* const arguments :
       {"calculate nothing", "calculate zero ranks", "calculate zero ranks=0",
        "calculate zero ranks=x", "calculate zero rank=8", "calculate zero --format pdf",
        "calculate zero --lang xx", "calculate --out file.md"}) {
    const Ended ended = run_program(arguments);
    EXPECT_EQ(ended.code, 2) << arguments;
    EXPECT_EQ(ended.out, "") << arguments;
    EXPECT_EQ(std::ranges::count(ended.err, '\n'), 1) << ended.err;
  }
  EXPECT_EQ(run_program("calculate zero --out /proc/no/such.md").code, 1);
}

}  // namespace
}  // namespace ts::app::testing
