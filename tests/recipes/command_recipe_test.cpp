// A command, added as docs/extending.md says: a line in the list and a file.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>

#include "app/commands/command_line.h"

namespace ts::app {

namespace {

using ::testing::HasSubstr;

TEST(Recipes, a_command_is_parsed_run_and_listed) {
  const auto parse = [](std::array<const char*, 3> words) {
    return parse_command_line(static_cast<int>(words.size()), words.data());
  };
  const auto good = parse({"tensorscope", "example", "7"});
  ASSERT_TRUE(good) << good.error().sentence;
  EXPECT_EQ(good->run(), 7);
  const auto bad = parse({"tensorscope", "example", "seven"});
  ASSERT_FALSE(bad);
  EXPECT_THAT(bad.error().sentence, HasSubstr("tensorscope example --help"));
  const std::array help = {"tensorscope", "--help"};
  const auto listed = parse_command_line(2, help.data());
  ASSERT_TRUE(listed);
  EXPECT_THAT(listed->text, HasSubstr("Return a number"));
}

}  // namespace
}  // namespace ts::app
