// Formulas: precedence, functions, and every way to write one that is wrong.
#include "core/calculate/expression.h"

#include <gtest/gtest.h>

#include <cmath>
#include <random>
#include <string>

namespace ts::calculate {
namespace {

double value_of(std::string_view expression) {
  const auto value = evaluate(expression, [](std::string_view name) -> std::optional<double> {
    if (name == "x") return 3;
    if (name == "long_name2") return 10;
    return std::nullopt;
  });
  EXPECT_TRUE(value) << (value ? "" : value.error().sentence);
  return value.value_or(NAN);
}

std::string error_of(std::string_view expression) {
  const auto value = evaluate(expression, nullptr);
  EXPECT_FALSE(value) << expression;
  return value ? std::string() : value.error().sentence;
}

TEST(Expression, FollowsTheRulesOfArithmetic) {
  EXPECT_EQ(value_of("1+2*3"), 7);
  EXPECT_EQ(value_of("(1+2)*3"), 9);
  EXPECT_EQ(value_of("10-4-3"), 3);
  EXPECT_EQ(value_of("100/10/5"), 2);
  EXPECT_EQ(value_of("2^3^2"), 512);
  EXPECT_EQ(value_of("-2^2"), -4);
  EXPECT_EQ(value_of("2^-1"), 0.5);
  EXPECT_EQ(value_of(" 4 * x ^ 2 - long_name2 "), 26);
  EXPECT_EQ(value_of("1e-6*2e6"), 2);
}

TEST(Expression, HasFunctionsAndConditions) {
  EXPECT_EQ(value_of("ceil(10/4)+floor(10/4)"), 5);
  EXPECT_EQ(value_of("min(x, 2)+max(x, 2)"), 5);
  EXPECT_EQ(value_of("if(x<=3, 1, 2)"), 1);
  EXPECT_EQ(value_of("if(x+1<=3, 1, if(x<=5, 7, 8))"), 7);
}

TEST(Expression, SaysWhatIsWrongAndWhere) {
  EXPECT_EQ(error_of("1+"), "a number or a name is missing at character 3 of \"1+\"");
  EXPECT_EQ(error_of("(1+2"), "a closing bracket is missing at character 5 of \"(1+2\"");
  EXPECT_EQ(error_of("1 2"), "an operator is missing at character 3 of \"1 2\"");
  EXPECT_EQ(error_of("ranks*2"), "\"ranks\" is not known at character 1 of \"ranks*2\"");
  EXPECT_EQ(error_of("min(1)"), "there is no function min of 1 value at character 7 of \"min(1)\"");
  EXPECT_FALSE(error_of("").empty());
  EXPECT_FALSE(error_of("1e999").empty());
  EXPECT_FALSE(error_of(std::string(100'000, '(')).empty());
  EXPECT_FALSE(error_of(std::string(100'000, '-')).empty());
}

// Random sums of products, beside the same arithmetic done while they are written.
TEST(Expression, AgreesWithTheArithmeticOfTheProcessor) {
  std::mt19937 random(7);
  for (int round = 0; round < 300; ++round) {
    std::string written;
    double sum = 0;
    for (unsigned i = 0; i < 1 + random() % 6; ++i) {
      const auto a = static_cast<double>(random() % 1000);
      const auto b = static_cast<double>(1 + random() % 99);
      const bool minus = random() % 2 == 0;
      const bool divides = random() % 2 == 0;
      written += (minus ? "-" : "+") + std::to_string(static_cast<int>(a)) + (divides ? "/" : "*") +
                 std::to_string(static_cast<int>(b));
      const double product = divides ? a / b : a * b;
      sum = minus ? sum - product : sum + product;
    }
    EXPECT_EQ(value_of("0" + written), sum) << written;
  }
}

TEST(Expression, AnyBytesEndWithAValueOrAnError) {
  std::mt19937 random(11);
  const std::string signs = "0123456789.+-*/^(),<= eximnaflor\x80\n";
  for (int round = 0; round < 20'000; ++round) {
    std::string written;
    for (unsigned i = 0; i < random() % 24; ++i) written += signs[random() % signs.size()];
    const auto value = evaluate(written, nullptr);
    if (!value) {
      EXPECT_FALSE(value.error().sentence.empty());
    }
  }
}

}  // namespace
}  // namespace ts::calculate
