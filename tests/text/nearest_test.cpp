#include "core/text/nearest.h"

#include <gtest/gtest.h>

#include <array>

namespace ts::text {
namespace {

constexpr std::array<std::string_view, 4> kNames = {"layers", "heads", "d_head", "d_model"};

TEST(Nearest, finds_slips_of_the_finger) {
  EXPECT_EQ(nearest("layres", kNames), "layers");
  EXPECT_EQ(nearest("LAYERS", kNames), "layers");
  EXPECT_EQ(nearest("dmodel", kNames), "d_model");
  EXPECT_EQ(nearest("d_heads", kNames), "d_head");
}

TEST(Nearest, stays_silent_when_nothing_is_near) {
  EXPECT_EQ(nearest("temperature", kNames), "");
  EXPECT_EQ(nearest("", kNames), "");
  EXPECT_EQ(nearest(std::string(100000, 'x'), kNames), "");
}

TEST(Listed, reads_as_a_sentence) {
  EXPECT_EQ(listed({}), "");
  EXPECT_EQ(listed(std::span(kNames).first(1)), "layers");
  EXPECT_EQ(listed(std::span(kNames).first(3)), "layers, heads or d_head");
}

}  // namespace
}  // namespace ts::text
