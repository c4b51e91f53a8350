#include "core/predict/look_ahead.h"

#include <gtest/gtest.h>

namespace ts::predict {
namespace {

spec::WorkloadSpec with_length(std::int64_t length) {
  spec::WorkloadSpec spec;
  spec.workload = spec::WorkloadKind::lm;
  spec.seq_len = length;
  return spec;
}

std::vector<std::int64_t> lengths_after(std::int64_t before, std::int64_t now) {
  std::vector<std::int64_t> lengths;
  for (const spec::WorkloadSpec& spec : next_of_drag(with_length(before), with_length(now))) {
    EXPECT_EQ(spec, with_length(spec.seq_len));
    lengths.push_back(spec.seq_len);
  }
  return lengths;
}

using Lengths = std::vector<std::int64_t>;

TEST(LookAhead, goes_on_in_the_direction_and_at_the_pace_of_the_drag) {
  EXPECT_EQ(lengths_after(256, 288), (Lengths{320, 352}));
  EXPECT_EQ(lengths_after(288, 256), (Lengths{240, 224}));
  EXPECT_EQ(lengths_after(256, 352), (Lengths{448, 480}));
  EXPECT_EQ(lengths_after(2, 1), (Lengths{}));
  EXPECT_EQ(lengths_after(3, 2), (Lengths{1}));
}

TEST(LookAhead, a_jump_is_no_drag) {
  EXPECT_EQ(lengths_after(256, 256), (Lengths{}));
  EXPECT_EQ(lengths_after(256, 1024), (Lengths{}));
  EXPECT_EQ(lengths_after(256, 257), (Lengths{}));
}

TEST(LookAhead, a_drag_moves_one_size_and_nothing_else) {
  spec::WorkloadSpec other = with_length(288);
  other.batch *= 2;
  EXPECT_TRUE(next_of_drag(with_length(256), other).empty());
  other = with_length(288);
  other.pass = spec::Pass::forward;
  EXPECT_TRUE(next_of_drag(with_length(256), other).empty());
}

std::shared_ptr<const Forecast> forecast_of(std::int64_t length, std::int64_t memory) {
  auto made = std::make_shared<Forecast>();
  made->run.spec = with_length(length);
  made->target.memory = memory;
  return made;
}

TEST(LookAhead, the_newest_forecasts_are_known_by_settings_and_target) {
  RecentForecasts recent;
  PredictionTarget card;
  card.memory = 1;
  EXPECT_EQ(recent.find(with_length(8), card), nullptr);
  for (std::int64_t length = 1; length <= 9; ++length) recent.keep(forecast_of(length, 1));
  EXPECT_EQ(recent.find(with_length(1), card), nullptr) << "the oldest of nine";
  ASSERT_NE(recent.find(with_length(2), card), nullptr);
  EXPECT_EQ(recent.find(with_length(2), card)->run.spec.seq_len, 2);
  card.memory = 2;
  EXPECT_EQ(recent.find(with_length(2), card), nullptr);
}

}  // namespace
}  // namespace ts::predict
