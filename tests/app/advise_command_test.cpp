// `tensorscope advise`: what it recommends fits, what is faster does not, and input that is wrong.
#include <gtest/gtest.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <string>

#include "tests/app/program.h"

namespace ts::app::testing {
namespace {

// The verdict of `predict` for the settings of a row.
std::string predicted(const std::string& settings, const nlohmann::json& row) {
  std::string command = "predict " + settings + " --json";
  for (const auto& one : row["set"]) command += " --set " + one.get<std::string>();
  return document_of(run_program(command))["verdict"];
}

TEST(AdviseCommand, RecommendsTheFastestThatFits) {
  const std::string settings = "lm --preset small --set B=8 --gpu 'RTX 3060 Ti'";
  const auto json = document_of(run_program("advise " + settings + " --keep optimizer --json"));
  EXPECT_EQ(json["ranked_by"], "bound");
  EXPECT_LT(json["dry_runs"].get<int>() * 2, json["recipes"].get<int>());
  const auto& rows = json["rows"];
  ASSERT_GT(rows.size(), 5U);
  EXPECT_EQ(rows[0]["row"], "best");
  EXPECT_EQ(rows[0]["verdict"], "fits");
  EXPECT_EQ(predicted(settings, rows[0]), "fits");
  EXPECT_GT(rows[0]["headroom"].get<std::int64_t>(), 0);
  for (std::size_t i = 1; i < rows.size(); ++i) {
    if (rows[i]["row"] != "kind") continue;
    EXPECT_GE(rows[i]["bound"]["step_s"], rows[0]["bound"]["step_s"]);
  }
  EXPECT_EQ(rows[rows.size() - 2]["row"], "as_set");
  EXPECT_EQ(rows[rows.size() - 1]["row"], "lab_rule");
  EXPECT_EQ(predicted(settings, rows.back()), rows.back()["verdict"]);
  EXPECT_NE(json["rule_sentence"].get<std::string>().find("B = 4, 8 micro-batches"),
            std::string::npos)
      << json["rule_sentence"];
}

TEST(AdviseCommand, WritesTablesInEachLanguage) {
  const std::string command = "advise mlp --preset w7 --gpu T4 ";
  const Ended words = run_program(command);
  EXPECT_EQ(words.code, 0) << words.err;
  EXPECT_NE(words.out.find("| fastest |"), std::string::npos) << words.out;
  EXPECT_NE(run_program(command + "--format tex").out.find("\\toprule"), std::string::npos);
  EXPECT_EQ(run_program(command + "--format csv").out.find("Row,"), 0U);
  EXPECT_NE(run_program(command + "--lang zh-CN").out.find("\xe6\x9c\x80\xe5\xbf\xab"),
            std::string::npos);
}

TEST(AdviseCommand, WrongInputIsOneSentence) {
  for (const char* const arguments :
       {"advise lm --keep T", "advise lm --keep nothing", "advise lm --gpu nothing",
        "advise lm --measure 2", "advise lm --format pdf", "advise accumulation",
        "advise lm --lang xx"}) {
    const Ended ended = run_program(arguments);
    EXPECT_EQ(ended.code, 2) << arguments;
    EXPECT_EQ(ended.out, "") << arguments;
    EXPECT_EQ(std::ranges::count(ended.err, '\n'), 1) << ended.err;
  }
}

}  // namespace
}  // namespace ts::app::testing
