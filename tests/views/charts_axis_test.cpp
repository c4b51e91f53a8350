#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <random>

#include "core/text/numbers.h"
#include "views/charts/one_unit.h"
#include "views/charts/ticks.h"
#include "views/charts/time_axis.h"
#include "views/charts/viewport.h"

namespace ts::views {
namespace {

constexpr std::int64_t kDay = 86'400'000'000'000;

TEST(TimeAxis, MapsEndsAndBack) {
  const TimeAxis axis{{kDay, kDay + 1'000'000}, 100, 1100};
  EXPECT_FLOAT_EQ(axis.x_of(kDay), 100);
  EXPECT_FLOAT_EQ(axis.x_of(kDay + 1'000'000), 1100);
  EXPECT_FLOAT_EQ(axis.x_of(kDay + 250'000), 350);
  EXPECT_EQ(axis.time_at(350), kDay + 250'000);
}

TEST(TimeAxis, IsExactToAPixelFarFromZero) {
  std::mt19937_64 random(3);
  for (int i = 0; i < 2000; ++i) {
    const auto length = static_cast<std::int64_t>(50 + random() % 1'000'000'000'000U);
    const auto begin = static_cast<std::int64_t>(random() % (100 * kDay));
    const TimeAxis axis{
        {begin, begin + length}, 130, 130 + static_cast<float>(random() % 3000) + 1};
    const auto time =
        begin + static_cast<std::int64_t>(random() % static_cast<std::uint64_t>(length));
    const std::int64_t back = axis.time_at(axis.x_of(time));
    EXPECT_LE(std::abs(static_cast<double>(back - time)), axis.ns_per_pixel() + 1);
  }
}

TEST(TimeAxis, KeepsFarTimesDrawable) {
  const TimeAxis axis{{kDay, kDay + 50}, 0, 1000};
  EXPECT_LT(axis.x_of(0), -1000);
  EXPECT_GT(axis.x_of(0), -100'000);
  EXPECT_LT(axis.x_of(2 * kDay), 100'000);
}

TEST(Viewport, ZoomKeepsTheAnchor) {
  const base::TimeRange bounds{0, 1'000'000'000};
  base::TimeRange view{400'000'000, 500'000'000};
  const std::int64_t anchor = 425'000'000;
  for (int i = 0; i < 40; ++i) {
    view = zoomed(view, anchor, 0.8, bounds);
    const double place =
        static_cast<double>(anchor - view.begin) / static_cast<double>(view.length());
    // Whole nanoseconds: exact to one of them.
    EXPECT_NEAR(place, 0.25, 2.0 / static_cast<double>(view.length()) + 0.02);
  }
  EXPECT_GE(view.length(), kShortestView);
}

TEST(Viewport, NeverLeavesTheBounds) {
  std::mt19937_64 random(5);
  for (int i = 0; i < 5000; ++i) {
    const auto begin = static_cast<std::int64_t>(random() % kDay);
    const base::TimeRange bounds{begin, begin + 1 + static_cast<std::int64_t>(random() % kDay)};
    base::TimeRange view = bounds;
    for (int move = 0; move < 12; ++move) {
      const auto at = static_cast<std::int64_t>(random() % (2 * kDay));
      switch (random() % 4) {
        case 0:
          view = zoomed(view, at, 0.1 + static_cast<double>(random() % 300) / 100, bounds);
          break;
        case 1:
          view = panned(view, at - kDay, bounds);
          break;
        case 2:
          view = with_margin({at, at + static_cast<std::int64_t>(random() % kDay)}, 0.1, bounds);
          break;
        default:
          view = clamped({at, at - 5}, bounds);
          break;
      }
      EXPECT_GE(view.begin, bounds.begin);
      EXPECT_LE(view.end, bounds.end);
      EXPECT_GE(view.length(), std::min(kShortestView, bounds.length()));
    }
  }
}

TEST(Viewport, ZoomingOutFarEnoughShowsEverything) {
  const base::TimeRange bounds{1000, 1'000'000};
  base::TimeRange view{400'000, 410'000};
  for (int i = 0; i < 60; ++i) view = zoomed(view, 402'000, 1.25, bounds);
  EXPECT_EQ(view, bounds);
}

TEST(Transition, RunsOneWayAndEndsInTime) {
  Transition move;
  const base::TimeRange from{0, 1'000'000'000};
  const base::TimeRange to{600'000'000, 600'010'000};
  move.start(from, to, 0);
  base::TimeRange before = from;
  for (std::int64_t now = 0; now <= Transition::kDuration; now += 5'000'000) {
    const base::TimeRange at = move.at(now);
    EXPECT_LE(at.length(), before.length());
    EXPECT_GE(at.begin, before.begin);
    EXPECT_LE(at.begin, to.begin);
    before = at;
  }
  EXPECT_EQ(move.at(Transition::kDuration + 1), to);
  EXPECT_FALSE(move.running());
}

TEST(Transition, PansWhereLengthsAreEqual) {
  Transition move;
  move.start({0, 100'000}, {50'000, 150'000}, 0);
  const base::TimeRange half = move.at(Transition::kDuration / 3);
  EXPECT_GT(half.begin, 0);
  EXPECT_LT(half.begin, 50'000);
  EXPECT_NEAR(static_cast<double>(half.length()), 100'000, 2);
}

TEST(Ticks, StepIsNice) {
  EXPECT_DOUBLE_EQ(nice_step(1), 1);
  EXPECT_DOUBLE_EQ(nice_step(1.01), 2);
  EXPECT_DOUBLE_EQ(nice_step(3), 5);
  EXPECT_DOUBLE_EQ(nice_step(51), 100);
  EXPECT_DOUBLE_EQ(nice_step(0.2), 0.2);
}

TEST(Ticks, TimeLabelsInOneUnit) {
  const Ticks ticks = time_ticks({142'300'000, 148'900'000}, 0, 830, 84);
  EXPECT_EQ(ticks.unit, "ms");
  EXPECT_DOUBLE_EQ(ticks.step, 1'000'000);
  ASSERT_EQ(ticks.ticks.size(), 6U);
  EXPECT_EQ(ticks.ticks.front().label, "143");
}

TEST(Ticks, DeepZoomCountsFromTheFirstTick) {
  const Ticks ticks = time_ticks({90'142'503'000, 90'142'503'400}, 0, 800, 84);
  EXPECT_TRUE(ticks.unit.empty());
  ASSERT_GE(ticks.ticks.size(), 3U);
  EXPECT_EQ(ticks.ticks[0].label, "90.142503 s");
  EXPECT_EQ(ticks.ticks[1].label, "+50 ns");
}

TEST(Ticks, TimeTicksLieInRangeAndApartWithDifferentLabels) {
  std::mt19937_64 random(9);
  for (int i = 0; i < 3000; ++i) {
    const auto origin = static_cast<std::int64_t>(random() % kDay);
    const auto begin = origin + static_cast<std::int64_t>(random() % 100'000'000'000U);
    const auto length =
        static_cast<std::int64_t>(std::exp(3.9 + static_cast<double>(random() % 1000) * 0.025));
    const float pixels = 100 + static_cast<float>(random() % 3000);
    const Ticks ticks = time_ticks({begin, begin + length}, origin, pixels, 80);
    const double per_pixel = static_cast<double>(length) / static_cast<double>(pixels);
    EXPECT_GE(ticks.step / per_pixel, std::min(79.0, 1 / per_pixel)) << length;
    EXPECT_LE(static_cast<double>(ticks.ticks.size()), pixels / 79 + 2);
    for (std::size_t k = 0; k < ticks.ticks.size(); ++k) {
      const double at = ticks.ticks[k].position;
      EXPECT_GE(at, static_cast<double>(begin - origin));
      EXPECT_LE(at, static_cast<double>(begin - origin + length));
      EXPECT_LT(ticks.ticks[k].label.size(), 20U);
      if (k > 0) {
        EXPECT_NE(ticks.ticks[k].label, ticks.ticks[k - 1].label);
      }
    }
  }
}

TEST(Ticks, BytesInPowersOfTwo) {
  const Ticks ticks = byte_ticks((std::int64_t{26} << 30), 400, 28);
  EXPECT_EQ(ticks.unit, "GiB");
  ASSERT_EQ(ticks.ticks.size(), 7U);
  EXPECT_EQ(ticks.ticks[1].label, "4");
  EXPECT_EQ(ticks.ticks.back().label, "24");
  const Ticks small = byte_ticks((std::int64_t{3} << 29), 400, 28);
  EXPECT_EQ(small.unit, "GiB");
  EXPECT_EQ(small.ticks[1].label, "0.25");
}

TEST(Ticks, FourToSevenByteTicksWhereThereIsRoom) {
  std::mt19937_64 random(11);
  for (int i = 0; i < 3000; ++i) {
    const auto top =
        static_cast<std::int64_t>(std::exp(3 + static_cast<double>(random() % 28000) / 1000));
    const Ticks ticks = byte_ticks(top, 400, 28);
    EXPECT_GE(ticks.ticks.size(), 4U) << top;
    EXPECT_LE(ticks.ticks.size(), 8U) << top;  // zero and up to seven above it
    for (std::size_t k = 1; k < ticks.ticks.size(); ++k)
      EXPECT_NE(ticks.ticks[k].label, ticks.ticks[k - 1].label) << top;
    EXPECT_LE(byte_ticks(top, 60, 28).ticks.size(), 4U);
  }
}

TEST(Ticks, CountsAreWhole) {
  const Ticks ticks = count_ticks(0.2, 3.7, 2000, 40);
  ASSERT_EQ(ticks.ticks.size(), 3U);
  EXPECT_EQ(ticks.ticks[0].label, "1");
  EXPECT_EQ(count_ticks(0, 120'000, 600, 76).ticks[1].label, "20,000");
}

TEST(OneUnit, NumbersThatAreComparedStandInOne) {
  const std::array times = {191.8e6, 14.38e9, -1.0};
  const OneUnit seconds = duration_unit(times);
  EXPECT_EQ(seconds.joined(times[0]), "0.192 s");
  EXPECT_EQ(seconds.joined(times[1]), "14.38 s");
  EXPECT_EQ(seconds.number(-1), text::kNoNumber);
  // One that would read as nothing decides: 10.24 MiB and 5 GiB are both told in MiB.
  const std::array sizes = {3.0 * 1024 * 1024, 5.0 * 1024 * 1024 * 1024};
  EXPECT_EQ(byte_unit(sizes).joined(sizes[0]), "3.00 MiB");
  EXPECT_EQ(byte_unit(sizes).joined(sizes[1]), "5,120 MiB");
  EXPECT_EQ(seconds.joined(1000), "<0.001 s") << "is not nothing";
  EXPECT_EQ(byte_unit({}).joined(0), "0 B");
}

TEST(OneUnit, EveryNumberKeepsThreeDigits) {
  const std::array times = {17.123e6, 96.72e6, 1.6e9};
  const OneUnit seconds = duration_unit(times);
  EXPECT_EQ(seconds.joined(times[0]), "0.0171 s");
  EXPECT_EQ(seconds.joined(times[1]), "0.0967 s");
  EXPECT_EQ(seconds.joined(times[2]), "1.60 s");
  const auto digits = [](const std::string& number) {
    const auto first = number.find_first_of("123456789");
    return std::ranges::count_if(number.substr(first), [](char c) { return c >= '0' && c <= '9'; });
  };
  for (const double greatest : {2e6, 9.99e8, 1e9, 1.6e9, 4e12}) {
    for (double least = 1e3; least <= greatest; least *= 1.37) {
      const std::array pair = {least, greatest};
      const OneUnit unit = duration_unit(pair);
      if (unit.whole) continue;
      EXPECT_GE(digits(unit.number(least)), 3) << unit.joined(least);
      EXPECT_GE(digits(unit.number(greatest)), 3) << unit.joined(greatest);
    }
  }
}

}  // namespace
}  // namespace ts::views
