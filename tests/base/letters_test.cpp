#include "core/base/letters.h"

#include <gtest/gtest.h>

namespace ts::base {
namespace {

TEST(Letters, only_those_of_ascii_have_two_cases) {
  EXPECT_EQ(lower("GeForce RTX \xc3\x84 显卡"), "geforce rtx \xc3\x84 显卡");
  EXPECT_TRUE(same_letters("SDPBackend", "sdpbackend"));
  EXPECT_FALSE(same_letters("a", "ab"));
  EXPECT_FALSE(same_letters("@", "`")) << "32 apart, and no letters";
}

TEST(Letters, a_part_is_found_in_any_case) {
  EXPECT_TRUE(contains_letters("aten::AddMM", "addmm"));
  EXPECT_FALSE(contains_letters("aten::mm", "addmm"));
  EXPECT_TRUE(contains_letters("", ""));
  EXPECT_FALSE(contains_letters("", "a"));
}

TEST(Letters, space_around_a_text_is_no_part_of_it) {
  EXPECT_EQ(trimmed(" \t a b\t "), "a b");
  EXPECT_EQ(trimmed(" \t"), "");
  EXPECT_EQ(trimmed(""), "");
}

}  // namespace
}  // namespace ts::base
