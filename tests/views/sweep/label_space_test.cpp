#include "views/sweep/label_space.h"

#include <gtest/gtest.h>

#include <array>
#include <vector>

namespace ts::views {
namespace {

TEST(LabelSpace, WordsKeepClearOfMarksLinesAndEachOther) {
  LabelSpace space;
  const Rect bounds{0, 0, 200, 100};
  space.take(Rect{96, 46, 104, 54});
  const std::array line = {Point{0, 50}, Point{200, 50}};
  space.take(line);
  std::vector<Rect> placed;
  for (int i = 0; i < 4; ++i) {
    const Rect at = space.beside({100, 50}, 40, 12, 6, bounds);
    EXPECT_FALSE(crosses(line[0], line[1], at)) << i;
    for (const Rect& other : placed) {
      EXPECT_TRUE(at.x1 <= other.x0 || other.x1 <= at.x0 || at.y1 <= other.y0 || other.y1 <= at.y0);
    }
    EXPECT_TRUE(at.x0 >= 0 && at.y0 >= 0 && at.x1 <= 200 && at.y1 <= 100) << i;
    placed.push_back(at);
  }
}

TEST(LabelSpace, CrossesTellsLinesThatPassThrough) {
  const Rect box{10, 10, 20, 20};
  EXPECT_TRUE(crosses({0, 15}, {30, 15}, box));
  EXPECT_TRUE(crosses({12, 12}, {13, 13}, box)) << "inside";
  EXPECT_TRUE(crosses({0, 0}, {30, 30}, box));
  EXPECT_FALSE(crosses({0, 15}, {9, 15}, box)) << "ends before";
  EXPECT_FALSE(crosses({0, 0}, {30, 5}, box));
  EXPECT_FALSE(crosses({0, 25}, {25, 40}, box));
}

}  // namespace
}  // namespace ts::views
