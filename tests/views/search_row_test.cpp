#include "views/snapshot/search_row.h"

#include <gtest/gtest.h>

namespace ts::views {
namespace {

constexpr float kWidest = 260, kLeast = 120, kCount = 140;

// The count of the hits is whole at every width that holds it at all.
TEST(SearchRow, TheCountIsNeverCut) {
  for (float room = kCount; room < 600; room += 1) {
    const SearchRow row = search_row(room, kWidest, kLeast, kCount);
    EXPECT_LE(row.field, std::min(room, kWidest)) << room;
    EXPECT_GE(row.field, std::min(room, kLeast)) << room;
    EXPECT_TRUE(row.below || row.field + kCount <= room) << room;
  }
  EXPECT_FALSE(search_row(kWidest + kCount, kWidest, kLeast, kCount).below);
  EXPECT_FALSE(search_row(kLeast + kCount, kWidest, kLeast, kCount).below);
  EXPECT_TRUE(search_row(kLeast + kCount - 1, kWidest, kLeast, kCount).below);
}

TEST(SearchRow, WithoutASearchTheFieldHasTheRow) {
  for (const float room : {40.0F, 200.0F, 900.0F}) {
    const SearchRow row = search_row(room, kWidest, kLeast, 0);
    EXPECT_EQ(row.field, std::min(room, kWidest));
    EXPECT_FALSE(row.below);
  }
  EXPECT_GT(search_row(-5, kWidest, kLeast, 0).field, 0);
}

}  // namespace
}  // namespace ts::views
