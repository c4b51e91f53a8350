// The map of a hunt, with probes that are made up.
#include "core/run/hunt_map.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <random>

namespace ts::run {
namespace {

using Bytes = std::function<std::int64_t(const WorkloadSpec&)>;

Fit fit_of(std::int64_t bytes, std::int64_t tight, std::int64_t capacity) {
  return bytes > capacity ? Fit::oom : bytes > tight ? Fit::fits_after_flush : Fit::fits;
}

Probe judged_by(const Bytes& bytes, std::int64_t tight, std::int64_t capacity) {
  return [=](const WorkloadSpec& spec) -> base::Result<ProbeAnswer> {
    const std::int64_t needed = bytes(spec);
    return ProbeAnswer{fit_of(needed, tight, capacity), needed, {"because", {}, {}}};
  };
}

std::int64_t product(const WorkloadSpec& spec) {
  return spec.seq_len * spec.batch;
}

HuntMap map_of(std::size_t side) {
  return {{}, *parse_hunt_axis("T=64:4096"), *parse_hunt_axis("B=8:8192"), side};
}

TEST(HuntMap, KnowsEveryCellFromAFew) {
  std::mt19937_64 random(11);
  for (int round = 0; round < 200; ++round) {
    // Any function that grows along both axes.
    const double a = std::uniform_real_distribution<>(0, 2)(random);
    const double b = std::uniform_real_distribution<>(0, 2)(random);
    const Bytes bytes = [a, b](const WorkloadSpec& spec) {
      return static_cast<std::int64_t>(1000 * std::pow(static_cast<double>(spec.seq_len), a) *
                                       std::pow(static_cast<double>(spec.batch), b));
    };
    const auto capacity = static_cast<std::int64_t>(
        1000 * std::exp2(std::uniform_real_distribution<>(-2, 36)(random)));
    const std::int64_t tight = capacity - capacity / 8;
    HuntMap map = map_of(20);
    ASSERT_EQ(map.size(), 400U);
    ASSERT_TRUE(fill(map, MapDepth::frontier, judged_by(bytes, tight, capacity), {}, {}));
    EXPECT_EQ(map.count(CellState::unknown), 0U);
    EXPECT_EQ(map.count(CellState::probed), map.log().size());
    EXPECT_LE(map.log().size(), 130U);
    for (std::size_t i = 0; i < map.size(); ++i) {
      const std::int64_t needed = bytes(map.spec_of(i));
      EXPECT_EQ(map.cell(i).fit, fit_of(needed, tight, capacity)) << i;
      EXPECT_LE(map.cell(i).at_least, needed);
      EXPECT_GE(map.cell(i).at_most.value_or(needed), needed);
      const bool probed = map.cell(i).state == CellState::probed;
      EXPECT_EQ(map.cell(i).at_least, probed ? needed : map.cell(i).at_least);
    }
  }
}

TEST(HuntMap, TheFrontierHasTwoSides) {
  HuntMap map = map_of(20);
  EXPECT_TRUE(frontier_cells(map).empty()) << "nothing is known";
  ASSERT_TRUE(fill(map, MapDepth::frontier, judged_by(product, 1 << 20, 1 << 20), {}, {}));
  const auto cells = frontier_cells(map);
  EXPECT_GE(cells.size(), 20U);
  std::vector<int> fits(20), ooms(20);
  const auto edges = map.frontier();
  for (const std::size_t index : cells) {
    const std::size_t row = index / 20;
    const bool over = map.cell(index).fit == Fit::oom;
    ++(over ? ooms : fits)[row];
    if (over && index % 20 > 0) {
      EXPECT_NE(map.cell(index - 1).fit, Fit::oom);
    }
    if (!over) {
      EXPECT_EQ(map.x_values()[index % 20], *edges[row]);
    }
  }
  for (std::size_t row = 0; row < 20; ++row) {
    EXPECT_EQ(fits[row], edges[row] ? 1 : 0);
    EXPECT_EQ(ooms[row], edges[row] == map.x_values().back() ? 0 : 1);
  }
}

TEST(HuntMap, RunsAreKeptInOrderWithTheirErrors) {
  HuntMap map = map_of(5);
  map.tell(3, {Fit::fits, 1000, {}, 990});
  EXPECT_FALSE(map.cell(3).peak_error());
  map.confirm(3, {true, 1100});
  EXPECT_DOUBLE_EQ(*map.cell(3).peak_error(), -0.1);
  EXPECT_FALSE(map.cell(3).contradicted());
  map.confirm(1, {true, 10});
  map.confirm(3, {false, 900});
  EXPECT_EQ(map.confirmed(), (std::vector<std::size_t>{1, 3}));
  EXPECT_TRUE(map.cell(3).contradicted());
  EXPECT_FALSE(map.cell(3).peak_error()) << "what was broken off has no peak to compare";
}

TEST(HuntMap, ExtremesTakeOneOrTwoProbes) {
  HuntMap all = map_of(20);
  ASSERT_TRUE(fill(all, MapDepth::frontier, judged_by(product, 1 << 30, 1 << 30), {}, {}));
  EXPECT_EQ(all.log().size(), 1U);
  EXPECT_EQ(*all.frontier()[19], 4096);
  HuntMap none = map_of(20);
  ASSERT_TRUE(fill(none, MapDepth::frontier, judged_by(product, 1, 1), {}, {}));
  EXPECT_EQ(none.log().size(), 2U);
  EXPECT_FALSE(none.frontier()[0].has_value());
}

TEST(HuntMap, EveryCellOnRequest) {
  HuntMap map = map_of(7);
  std::size_t told = 0;
  ASSERT_TRUE(fill(map, MapDepth::every_cell, judged_by(product, 8192, 8192),
                   [&](std::size_t) { ++told; }, {}));
  EXPECT_EQ(map.count(CellState::probed), 49U);
  EXPECT_EQ(told, 49U);
  EXPECT_EQ(map.x_values(), (std::vector<std::int64_t>{64, 128, 256, 512, 1024, 2048, 4096}));
  const auto frontier = map.frontier();  // B: 8 25 80 253 800 2530 8192
  EXPECT_EQ(*frontier[0], 1024);
  EXPECT_EQ(*frontier[1], 256);
  EXPECT_EQ(*frontier[2], 64);
  EXPECT_FALSE(frontier[3].has_value());
}

TEST(HuntMap, CancelKeepsThePartAndErrorsEndIt) {
  HuntMap map = map_of(20);
  const base::CancelToken cancel;
  int cells = 0;
  ASSERT_TRUE(fill(
      map, MapDepth::frontier, judged_by(product, 8192, 8192),
      [&](std::size_t) {
        if (++cells == 5) cancel.cancel();
      },
      cancel));
  EXPECT_EQ(map.log().size(), 5U);
  EXPECT_GT(map.count(CellState::unknown), 0U);
  const Probe fails = [](const WorkloadSpec&) -> base::Result<ProbeAnswer> {
    return base::fail("no meta kernel");
  };
  const auto filled = fill(map, MapDepth::frontier, fails, {}, {});
  ASSERT_FALSE(filled.has_value());
  EXPECT_EQ(filled.error().sentence, "no meta kernel");
}

TEST(HuntMap, ImpossibleCellsAreLeftOut) {
  WorkloadSpec block;
  block.workload = WorkloadKind::block;
  HuntMap map(block, {Field::d_model, 100, 1000}, {Field::heads, 1, 16}, 12);
  EXPECT_GT(map.count(CellState::impossible), 0U);
  const Probe probe =
      judged_by([](const WorkloadSpec& spec) { return spec.d_model * spec.heads; }, 3000, 3000);
  ASSERT_TRUE(fill(map, MapDepth::frontier, probe, {}, {}));
  EXPECT_EQ(map.count(CellState::unknown), 0U);
  for (const std::size_t index : map.log()) EXPECT_TRUE(validate(map.spec_of(index)).empty());
}

TEST(HuntMap, CellsAreFoundAndConfirmed) {
  HuntMap map = map_of(7);
  EXPECT_EQ(map.index_of(map.spec_of(23)), 23U);
  WorkloadSpec other = map.spec_of(23);
  other.heads += 1;
  EXPECT_FALSE(map.index_of(other).has_value());
  other = map.spec_of(23);
  other.seq_len += 1;
  EXPECT_FALSE(map.index_of(other).has_value());
  ASSERT_TRUE(fill(map, MapDepth::every_cell, judged_by(product, 8192, 8192), {}, {}));
  map.confirm(0, {true, 64});
  EXPECT_FALSE(map.cell(0).contradicted());
  map.confirm(48, {true, 64});
  EXPECT_TRUE(map.cell(48).contradicted());
}

TEST(HuntMap, SpreadValuesAreDistinctAndKeepTheEnds) {
  EXPECT_EQ(spread_values({Field::B, 1, 5}, 20), (std::vector<std::int64_t>{1, 2, 3, 4, 5}));
  EXPECT_EQ(spread_values({Field::B, 7, 7}, 20), (std::vector<std::int64_t>{7}));
  const auto many = spread_values({Field::T, 100, 90'000}, 20);
  EXPECT_EQ(many.size(), 20U);
  EXPECT_EQ(many.front(), 100);
  EXPECT_EQ(many.back(), 90'000);
}

}  // namespace
}  // namespace ts::run
