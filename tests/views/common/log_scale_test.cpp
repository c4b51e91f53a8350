#include "views/common/log_scale.h"

#include <gtest/gtest.h>

#include <set>
#include <vector>

namespace ts::views {
namespace {

struct Range {
  std::int64_t min, max;
};
class LogScaleOf : public testing::TestWithParam<Range> {
 protected:
  LogScale scale{GetParam().min, GetParam().max};

  // By definition: whole numbers below eight, then eight steps an octave.
  [[nodiscard]] std::vector<std::int64_t> reachable() const {
    std::set<std::int64_t> values = {scale.min(), scale.max()};
    for (std::int64_t octave = 1; octave <= scale.max(); octave *= 2) {
      for (int eighth = 0; eighth < 8; ++eighth) {
        if (octave < 8 && octave * eighth % 8 != 0) continue;
        const std::int64_t value = octave + octave * eighth / 8;
        if (value >= scale.min() && value <= scale.max()) values.insert(value);
      }
    }
    return {values.begin(), values.end()};
  }
};

TEST_P(LogScaleOf, a_drag_reaches_every_step_and_nothing_else) {
  std::set<std::int64_t> seen;
  constexpr int kPlaces = 20000;
  for (int i = 0; i <= kPlaces; ++i) {
    seen.insert(scale.value_at(static_cast<float>(i) / kPlaces));
  }
  const std::vector<std::int64_t> wanted = reachable();
  EXPECT_EQ(std::vector<std::int64_t>(seen.begin(), seen.end()), wanted);
}

TEST_P(LogScaleOf, a_value_comes_back_from_its_place) {
  for (const std::int64_t value : reachable()) {
    EXPECT_EQ(scale.value_at(scale.position(value)), value);
  }
  EXPECT_EQ(scale.position(scale.min()), 0.0F);
  EXPECT_EQ(scale.position(scale.max()), 1.0F);
}

TEST_P(LogScaleOf, places_outside_are_its_ends) {
  EXPECT_EQ(scale.value_at(-3), scale.min());
  EXPECT_EQ(scale.value_at(3), scale.max());
  EXPECT_EQ(scale.position(scale.max() * 5), 1.0F);
  EXPECT_EQ(scale.position(0), 0.0F);
}

TEST_P(LogScaleOf, arrows_go_to_the_neighbour) {
  const std::vector<std::int64_t> wanted = reachable();
  for (std::size_t i = 0; i < wanted.size(); ++i) {
    EXPECT_EQ(scale.stepped(wanted[i], 1), wanted[std::min(i + 1, wanted.size() - 1)]);
    EXPECT_EQ(scale.stepped(wanted[i], -1), wanted[i == 0 ? 0 : i - 1]);
  }
}

// A typed value lies between two steps: the arrows lead to the one above or below it.
TEST_P(LogScaleOf, arrows_leave_a_typed_value_for_the_nearest_step) {
  const std::vector<std::int64_t> wanted = reachable();
  for (std::size_t i = 0; i + 1 < wanted.size(); ++i) {
    for (std::int64_t typed = wanted[i] + 1; typed < wanted[i + 1] && typed < 3000; ++typed) {
      EXPECT_EQ(scale.stepped(typed, 1), wanted[i + 1]) << typed;
      EXPECT_EQ(scale.stepped(typed, -1), wanted[i]) << typed;
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Sliders, LogScaleOf,
                         testing::Values(Range{1, 256}, Range{16, 65536}, Range{64, 262144},
                                         Range{1, 128}, Range{8, 256}, Range{1, 2}));

}  // namespace
}  // namespace ts::views
