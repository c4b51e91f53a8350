#include "core/lessons/expression.h"

#include <gtest/gtest.h>

#include "core/lessons/point_name.h"

namespace ts::lessons {
namespace {

std::optional<Number> number_of(const Reference& one) {
  if (one.name == "bytes") return Number{4096, Unit::bytes, Nature::measured};
  if (one.name == "half") return Number{2048, Unit::bytes, Nature::measured};
  if (one.name == "dry") return Number{4000, Unit::bytes, Nature::predicted};
  if (one.name == "nothing") return Number{0, Unit::count, Nature::measured};
  return std::nullopt;
}

std::optional<Number> computed(const std::string& text) {
  const auto parsed = parse_expression(text);
  EXPECT_TRUE(parsed.has_value()) << text << " " << (parsed ? "" : parsed.error().sentence);
  return parsed ? evaluate(*parsed, number_of) : std::nullopt;
}

TEST(Expression, ComputesInTheUsualOrder) {
  EXPECT_DOUBLE_EQ(computed("2 + 3 * 4 - 6 / 2")->value, 11);
  EXPECT_DOUBLE_EQ(computed("(2 + 3) * 4")->value, 20);
  EXPECT_DOUBLE_EQ(computed("20 - 5 - 5")->value, 10) << "from the left";
}

TEST(Expression, UnitsFollow) {
  EXPECT_EQ(computed("a.bytes / a.half")->unit, Unit::ratio);
  EXPECT_EQ(computed("a.bytes + a.half")->unit, Unit::bytes);
  EXPECT_EQ(computed("2 * a.bytes")->unit, Unit::bytes);
  EXPECT_EQ(computed("a.bytes / 2")->unit, Unit::bytes);
  EXPECT_EQ(computed("2 / a.bytes")->unit, Unit::number);
}

TEST(Expression, NaturesAreNotMixedSilently) {
  EXPECT_EQ(computed("2 * a.bytes")->nature, Nature::measured);
  EXPECT_EQ(computed("a.dry - 1")->nature, Nature::predicted);
  EXPECT_EQ(computed("a.bytes / a.dry")->nature, Nature::compared);
}

TEST(Expression, WhatIsNotThereGivesNoNumber) {
  EXPECT_FALSE(computed("a.missing + 1"));
  EXPECT_FALSE(computed("1 / a.nothing"));
}

TEST(Expression, AnArgumentMayHoldParenthesesAndSigns) {
  const auto parsed = parse_expression("norm.largest(fp16 (mean, var fp32)) / 2");
  ASSERT_TRUE(parsed.has_value());
  EXPECT_EQ(parsed->of[0].reference.argument, "fp16 (mean, var fp32)");
  EXPECT_EQ(parse_expression("s.result(fp16 += fp16)")->reference.argument, "fp16 += fp16");
}

TEST(Expression, MistakesSayWhere) {
  for (const char* const text :
       {"", "2 +", "(2", "2)", "a", "a.", "a.b.c", "2x", "a.b(c", "* 2", "$"}) {
    const auto parsed = parse_expression(text);
    ASSERT_FALSE(parsed.has_value()) << text;
    EXPECT_NE(parsed.error().sentence.find("character"), std::string::npos) << text;
  }
}

TEST(Expression, DepthIsLimited) {
  const std::string deep = std::string(50'000, '(') + "1" + std::string(50'000, ')');
  EXPECT_FALSE(parse_expression(deep).has_value());
  std::string chain = "1";
  for (int i = 0; i < 50'000; ++i) chain += " + 1";
  EXPECT_FALSE(parse_expression(chain).has_value());
}

TEST(Expression, ThePlaceOfAPointIsTakenApart) {
  const PointName name = point_name("flash, bf16, T = 2048, B=4");
  EXPECT_EQ(name.series, "flash, bf16");
  ASSERT_EQ(name.at.size(), 2U);
  EXPECT_EQ(name.at[0], (std::pair<std::string, std::string>("T", "2048")));
  EXPECT_EQ(name.at[1].second, "4");
  EXPECT_EQ(point_name("T = 8").series, "");
}

}  // namespace
}  // namespace ts::lessons
