// `tensorscope predict` for a rank's share and for the smallest cluster, from outside.
#include <gtest/gtest.h>

#include <cmath>
#include <nlohmann/json.hpp>
#include <string>

#include "tests/app/program.h"

namespace ts::app {
namespace {

using Json = nlohmann::json;

Json predicted(const std::string& arguments) {
  const auto ended = testing::run_program(
      "predict lm --preset tiny --set pass=full_step --gpu \"RTX 4090\" " + arguments + " --json");
  EXPECT_EQ(ended.code, 0) << ended.err;
  return testing::document_of(ended);
}

std::int64_t bytes(const Json& answer, const char* category) {
  return answer.at("by_category").at(category).get<std::int64_t>();
}

// ZeRO's table (Rajbhandari et al. 2020, figure 1): what each stage divides by the ranks. ZeRO-1
// deals out whole tensors, so its fullest rank has more than its part; ZeRO-3 pads to whole rows.
TEST(ShareCommand, DividesWhatItsStageOfZeroDivides) {
  const Json whole = predicted("");
  const Json zero1 = predicted("--ranks 4 --shard zero1");
  EXPECT_EQ(bytes(zero1, "parameter"), bytes(whole, "parameter"));
  EXPECT_GE(4 * bytes(zero1, "optimizer_state"), bytes(whole, "optimizer_state"));
  EXPECT_LT(bytes(zero1, "optimizer_state"), bytes(whole, "optimizer_state"));
  const Json zero3 = predicted("--ranks 4 --shard zero3");
  EXPECT_GE(4 * bytes(zero3, "optimizer_state"), bytes(whole, "optimizer_state"));
  EXPECT_LE(4 * bytes(zero3, "optimizer_state"),
            bytes(whole, "optimizer_state") * 101 / 100 + 16384);
  EXPECT_LT(bytes(zero3, "parameter"), bytes(whole, "parameter"));
  EXPECT_LT(zero3.at("peak_allocated"), zero1.at("peak_allocated"));
  EXPECT_EQ(zero3.at("share").at("ranks"), 4);
}

TEST(ShareCommand, RefusesWhatCannotBe) {
  for (const char* const arguments :
       {"--pipeline 2 --stage 2", "--ranks 0", "--tensor 3", "--shard zero3", "--cluster 1",
        "--cluster 8 --cpu", "--cluster 8 --link NVLink9", "--cluster 8 --network smoke",
        "--cluster 8 --node 0", "--cluster 8 --lang xx"}) {
    const auto ended = testing::run_program(std::string("predict lm --preset tiny ") + arguments);
    EXPECT_EQ(ended.code, 2) << arguments << ended.out << ended.err;
    EXPECT_FALSE(ended.err.empty()) << arguments;
  }
}

TEST(ClusterCommand, FindsTheFewestCardsAndSaysWhatEachWayCosts) {
  const std::string command =
      "predict lm --preset medium --set T=256 --gpu \"RTX 4060\" --cluster 8";
  const auto ended = testing::run_program(command + " --json");
  ASSERT_EQ(ended.code, 0) << ended.err;
  const Json answer = testing::document_of(ended);
  EXPECT_FALSE(answer.at("one_card").at("fits").get<bool>());
  const std::int64_t memory = answer.at("memory");
  std::int64_t fewest = 0;
  for (const Json& mode : answer.at("modes")) {
    if (mode.at("share").is_null()) continue;
    const std::int64_t cards = mode.at("share").at("cards");
    EXPECT_EQ(std::log2(static_cast<double>(cards)),
              std::floor(std::log2(static_cast<double>(cards))));
    EXPECT_LE(cards, 8);
    EXPECT_EQ(mode.at("fits").get<bool>(), mode.at("needed").get<std::int64_t>() <= memory) << mode;
    if (!mode.at("fits").get<bool>()) continue;
    if (fewest == 0 || cards < fewest) fewest = cards;
    EXPECT_GT(mode.at("tokens_per_s"), 0) << mode;
  }
  ASSERT_GT(fewest, 1);
  const std::string sentence = answer.at("sentence");
  EXPECT_EQ(sentence.find("The smallest cluster is " + std::to_string(fewest) + " RTX 4060"), 0U)
      << sentence;
  // The same in other formats and another language.
  const auto table = testing::run_program(command + " --format csv");
  EXPECT_EQ(table.out.find("Mode,Cards,Fits"), 0U) << table.out;
  const auto chinese = testing::run_program(command + " --lang zh-CN");
  EXPECT_NE(chinese.out.find("| 数据并行 | 2 |"), std::string::npos) << chinese.out;
}

}  // namespace
}  // namespace ts::app
