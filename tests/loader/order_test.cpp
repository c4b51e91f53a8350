// Orders, rows and batches: properties that hold for every seed, and cases that can be checked by
// hand.
#include "core/loader/order.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <numeric>
#include <vector>

#include "core/loader/random.h"

namespace ts::loader {
namespace {

std::vector<std::uint32_t> stored_order(std::size_t samples) {
  std::vector<std::uint32_t> order(samples);
  std::iota(order.begin(), order.end(), std::uint32_t{0});
  return order;
}

std::vector<std::uint32_t> sorted(std::vector<std::uint32_t> order) {
  std::ranges::sort(order);
  return order;
}

std::vector<std::uint32_t> some_lengths(std::size_t count, std::uint64_t seed) {
  Random random(seed);
  std::vector<std::uint32_t> lengths(count);
  for (std::uint32_t& length : lengths) length = static_cast<std::uint32_t>(1 + random.below(1500));
  return lengths;
}

TEST(EpochOrder, HasEverySampleOnceAndTheSameForASeed) {
  for (std::uint64_t seed = 0; seed < 50; ++seed) {
    const std::size_t samples = 1 + seed * 7;
    const std::array<std::size_t, 3> shards = {0, samples / 3, samples / 2};
    const auto order = epoch_order(samples, shards, 1 + seed % 20, seed);
    EXPECT_EQ(sorted(order), stored_order(samples));
    EXPECT_EQ(order, epoch_order(samples, shards, 1 + seed % 20, seed));
  }
}

TEST(EpochOrder, WithoutABufferItIsAsStored) {
  EXPECT_EQ(epoch_order(9, {}, 1, 3), stored_order(9));
  EXPECT_EQ(epoch_order(9, {}, 0, 3), stored_order(9));
  EXPECT_NE(epoch_order(100, {}, 100, 3), stored_order(100));
  EXPECT_TRUE(epoch_order(0, {}, 8, 3).empty());
}

// A buffer cannot bring a sample forward by more than its size.
TEST(EpochOrder, ASmallBufferShufflesNearby) {
  const auto order = epoch_order(1000, {}, 16, 5);
  for (std::size_t i = 0; i < order.size(); ++i) EXPECT_LE(order[i], i + 16);
}

TEST(Rows, EverySampleIsInOneRowAndNoRowIsTooWide) {
  for (std::uint64_t seed = 0; seed < 40; ++seed) {
    const auto lengths = some_lengths(300, seed);
    const auto order = epoch_order(300, {}, 64, seed);
    for (const bool packed : {false, true}) {
      const auto rows = rows_of(order, lengths, {.width = 1024, .packed = packed, .open_rows = 8});
      std::vector<std::uint32_t> seen;
      for (const Row& row : rows) {
        EXPECT_LE(row.tokens, 1024U);
        EXPECT_LE(row.squares, row.tokens * row.tokens);
        EXPECT_EQ(packed || row.samples.size() == 1, true);
        seen.insert(seen.end(), row.samples.begin(), row.samples.end());
      }
      EXPECT_EQ(sorted(seen), stored_order(300));
    }
  }
}

TEST(Rows, WithoutPackingTheyKeepTheOrder) {
  const auto order = epoch_order(50, {}, 10, 1);
  const auto rows = rows_of(order, some_lengths(50, 1), {.width = 2000});
  for (std::size_t i = 0; i < rows.size(); ++i) EXPECT_EQ(rows[i].samples.front(), order[i]);
}

TEST(Rows, BestFitPacksWhatFitsExactly) {
  const std::vector<std::uint32_t> lengths = {6, 5, 4, 5};
  const auto rows = rows_of(stored_order(4), lengths, {.width = 10, .packed = true});
  ASSERT_EQ(rows.size(), 2U);
  EXPECT_EQ(rows[0].tokens + rows[1].tokens, 20U);
  const auto batches = batches_of(rows, 2, 10, false);
  const Waste waste = waste_of(batches);
  EXPECT_DOUBLE_EQ(waste.padding, 0);
  EXPECT_DOUBLE_EQ(waste.kept_scores, (36.0 + 25 + 16 + 25) / 200);
}

TEST(Waste, ByHand) {
  const std::vector<std::uint32_t> lengths = {2, 4, 6, 8};
  const auto rows = rows_of(stored_order(4), lengths, {.width = 8});
  EXPECT_DOUBLE_EQ(waste_of(batches_of(rows, 2, 8, false)).padding, 1 - 20.0 / 32);
  EXPECT_DOUBLE_EQ(waste_of(batches_of(rows, 2, 8, true)).padding, 1 - 20.0 / 24);
  EXPECT_DOUBLE_EQ(waste_of({}).padding, 0);
}

// Buckets keep every row, and padding to the longest never gets worse; packed rows waste no more
// than single ones.
TEST(Bucket, LowersPaddingAndLosesNothing) {
  for (std::uint64_t seed = 0; seed < 40; ++seed) {
    const auto lengths = some_lengths(320, seed);
    const auto order = epoch_order(320, {}, 64, seed);
    auto rows = rows_of(order, lengths, {.width = 1024});
    const double plain = waste_of(batches_of(rows, 8, 1024, true)).padding;
    const double fixed = waste_of(batches_of(rows, 8, 1024, false)).padding;
    bucket(rows, 8, 10, seed);
    const double bucketed = waste_of(batches_of(rows, 8, 1024, true)).padding;
    const auto packed = rows_of(order, lengths, {.width = 1024, .packed = true});
    EXPECT_LE(plain, fixed);
    EXPECT_LE(bucketed, plain);
    EXPECT_LE(waste_of(batches_of(packed, 8, 1024, false)).padding, fixed);
    std::vector<std::uint32_t> seen;
    for (const Row& row : rows) seen.push_back(row.samples.front());
    EXPECT_EQ(sorted(seen), stored_order(320));
  }
}

}  // namespace
}  // namespace ts::loader
