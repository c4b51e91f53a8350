// The map of a hunt, with probes that are made up.
#include "core/predict/hunt_map.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <random>

namespace ts::predict {
namespace {

using Bytes = std::function<std::int64_t(const spec::WorkloadSpec&)>;

Fit fit_of(std::int64_t bytes, std::int64_t tight, std::int64_t capacity) {
  return bytes > capacity ? Fit::oom : bytes > tight ? Fit::fits_after_flush : Fit::fits;
}

Probe judged_by(const Bytes& bytes, std::int64_t tight, std::int64_t capacity) {
  return [=](const spec::WorkloadSpec& spec) -> base::Result<ProbeAnswer> {
    const std::int64_t needed = bytes(spec);
    return ProbeAnswer{fit_of(needed, tight, capacity), needed, {"because", {}, {}}};
  };
}

std::int64_t product(const spec::WorkloadSpec& spec) {
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
    const Bytes bytes = [a, b](const spec::WorkloadSpec& spec) {
      return static_cast<std::int64_t>(1000 * std::pow(static_cast<double>(spec.seq_len), a) *
                                       std::pow(static_cast<double>(spec.batch), b));
    };
    const auto capacity = static_cast<std::int64_t>(
        1000 * std::exp2(std::uniform_real_distribution<>(-2, 36)(random)));
    const std::int64_t tight = capacity - capacity / 8;
    HuntMap map = map_of(20);
    ASSERT_EQ(map.size(), 143U) << "13 values of T, 11 of B";
    ASSERT_TRUE(fill(map, MapDepth::frontier, judged_by(bytes, tight, capacity), {}, {}));
    EXPECT_EQ(map.count(CellState::unknown), 0U);
    EXPECT_EQ(map.count(CellState::probed), map.log().size());
    EXPECT_LE(map.log().size(), 75U);
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
  const std::size_t width = map.x_values().size(), rows = map.y_values().size();
  EXPECT_GE(cells.size(), rows);
  std::vector<int> fits(rows), ooms(rows);
  const auto edges = map.frontier();
  for (const std::size_t index : cells) {
    const std::size_t row = index / width;
    const bool over = map.cell(index).fit == Fit::oom;
    ++(over ? ooms : fits)[row];
    if (over && index % width > 0) {
      EXPECT_NE(map.cell(index - 1).fit, Fit::oom);
    }
    if (!over) {
      EXPECT_EQ(map.x_values()[index % width], *edges[row]);
    }
  }
  for (std::size_t row = 0; row < rows; ++row) {
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
  EXPECT_EQ(*all.frontier().back(), 4096);
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
  EXPECT_EQ(map.count(CellState::probed), 42U);
  EXPECT_EQ(told, 42U);
  EXPECT_EQ(map.x_values(), (std::vector<std::int64_t>{64, 128, 256, 512, 1024, 2048, 4096}));
  const auto frontier = map.frontier();  // B: 8 32 128 512 2048 8192
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
  const Probe fails = [](const spec::WorkloadSpec&) -> base::Result<ProbeAnswer> {
    return base::fail("no meta kernel");
  };
  const auto filled = fill(map, MapDepth::frontier, fails, {}, {});
  ASSERT_FALSE(filled.has_value());
  EXPECT_EQ(filled.error().sentence, "no meta kernel");
}

TEST(HuntMap, ImpossibleCellsAreLeftOut) {
  spec::WorkloadSpec block;
  block.workload = spec::WorkloadKind::block;
  HuntMap map(block, {spec::Field::d_model, 100, 1000}, {spec::Field::heads, 1, 16}, 12);
  EXPECT_GT(map.count(CellState::impossible), 0U);
  const Probe probe = judged_by(
      [](const spec::WorkloadSpec& spec) { return spec.d_model * spec.heads; }, 3000, 3000);
  ASSERT_TRUE(fill(map, MapDepth::frontier, probe, {}, {}));
  EXPECT_EQ(map.count(CellState::unknown), 0U);
  for (const std::size_t index : map.log()) EXPECT_TRUE(spec::validate(map.spec_of(index)).empty());
}

TEST(HuntMap, CellsAreFoundAndConfirmed) {
  HuntMap map = map_of(7);
  EXPECT_EQ(map.index_of(map.spec_of(23)), 23U);
  spec::WorkloadSpec other = map.spec_of(23);
  other.heads += 1;
  EXPECT_FALSE(map.index_of(other).has_value());
  other = map.spec_of(23);
  other.seq_len += 1;
  EXPECT_FALSE(map.index_of(other).has_value());
  ASSERT_TRUE(fill(map, MapDepth::every_cell, judged_by(product, 8192, 8192), {}, {}));
  map.confirm(0, {true, 64});
  EXPECT_FALSE(map.cell(0).contradicted());
  map.confirm(map.size() - 1, {true, 64});
  EXPECT_TRUE(map.cell(map.size() - 1).contradicted());
}

TEST(HuntMap, AxesAreNaturalStepsAndHaveTheOwnSize) {
  using Values = std::vector<std::int64_t>;
  EXPECT_EQ(map_values({spec::Field::T, 128, 8192}, 20),
            (Values{128, 192, 256, 384, 512, 768, 1024, 1536, 2048, 3072, 4096, 6144, 8192}));
  EXPECT_EQ(map_values({spec::Field::T, 128, 8192}, 20, 500),
            (Values{128, 192, 256, 384, 500, 512, 768, 1024, 1536, 2048, 3072, 4096, 6144, 8192}));
  EXPECT_EQ(map_values({spec::Field::B, 1, 64}, 20),
            (Values{1, 2, 3, 4, 6, 8, 12, 16, 24, 32, 48, 64}));
  EXPECT_EQ(map_values({spec::Field::T, 8, 60, 8}, 20), (Values{8, 16, 24, 32, 40, 48, 56}));
  EXPECT_EQ(map_values({spec::Field::B, 1, 64}, 20, 65).back(), 64) << "only what lies inside";
  EXPECT_EQ(map_values({spec::Field::B, 1, 5}, 20), (Values{1, 2, 3, 4, 5}));
  EXPECT_EQ(map_values({spec::Field::B, 7, 7}, 20), Values{7});
  EXPECT_EQ(map_values({spec::Field::B, 1, 1}, 20), Values{1});
  // A short range in finer steps, a long one in powers alone.
  EXPECT_EQ(map_values({spec::Field::T, 1024, 2048}, 20),
            (Values{1024, 1088, 1152, 1216, 1280, 1344, 1408, 1472, 1536, 1600, 1664, 1728, 1792,
                    1856, 1920, 1984, 2048}));
  EXPECT_EQ(map_values({spec::Field::B, 8, 8192}, 20).size(), 11U);
  for (std::int64_t low = 1; low < 3000; low = low * 2 + 1) {
    for (std::int64_t high = low; high < 200'000; high = high * 3 + 1) {
      const auto values = map_values({spec::Field::T, low, high}, 20, (low + high) / 2);
      EXPECT_LE(values.size(), 20U);
      EXPECT_EQ(values.front(), low);
      EXPECT_EQ(values.back(), high);
      EXPECT_TRUE(std::ranges::binary_search(values, (low + high) / 2));
      EXPECT_TRUE(std::ranges::adjacent_find(values, std::greater_equal()) == values.end());
    }
  }
}

TEST(HuntMap, LearnsWhatAnEarlierMapAsked) {
  HuntMap earlier = map_of(20);
  const Probe probe = judged_by(product, 1 << 20, 1 << 20);
  ASSERT_TRUE(fill(earlier, MapDepth::every_cell, probe, {}, {}));
  spec::WorkloadSpec base;
  base.seq_len = 500;
  HuntMap map(base, earlier.x(), earlier.y(), 20);
  map.learn(earlier);
  EXPECT_EQ(map.log().size(), earlier.size());
  std::size_t asked = 0;
  ASSERT_TRUE(fill(map, MapDepth::every_cell, probe, [&](std::size_t) { ++asked; }, {}));
  EXPECT_EQ(asked, earlier.y_values().size()) << "the new column alone";
  for (std::size_t i = 0; i < map.size(); ++i) {
    EXPECT_EQ(map.cell(i).at_least, product(map.spec_of(i)));
  }
  // Other settings are another question.
  base.heads *= 2;
  HuntMap other(base, earlier.x(), earlier.y(), 20);
  other.learn(earlier);
  EXPECT_TRUE(other.log().empty());
}

}  // namespace
}  // namespace ts::predict
