// Tiled attention beside its formulas: traffic, tiles, shared memory, and softmax over whole rows.
#include "core/stepper/tiled_attention.h"

#include <gtest/gtest.h>

#include <cmath>
#include <initializer_list>
#include <string>
#include <string_view>
#include <vector>

#include "core/calculate/calculator.h"
#include "core/stats/occupancy.h"
#include "tests/stepper/chosen.h"

namespace ts::stepper {
namespace {

TiledAttention walk(std::initializer_list<const char*> settings) {
  return testing::walk<TiledAttention>("tiles", settings);
}

// Attention of one row from the state itself: m and l are those of softmax over the keys so far.
TEST(TiledAttention, EveryShapeEndsAsSoftmaxOverWholeRows) {
  for (const auto& settings : std::initializer_list<std::initializer_list<const char*>>{
           {"T=128", "causal=0"},
           {"T=128", "causal=1"},
           {"T=100", "d_head=24", "block_q=32", "block_k=24", "causal=1", "seed=7"},
           {"T=65", "d_head=3", "block_q=64", "block_k=16", "causal=0"},
           {"T=1", "d_head=1", "causal=1"},
           {"T=70", "block_q=16", "block_k=64", "causal=1", "seed=3"}}) {
    TiledAttention attention = walk(settings);
    for (std::int64_t i = 0; i < attention.query_tiles(); ++i) {
      EXPECT_LT(attention.error(i), 2e-6) << *settings.begin() << " tile " << i;
    }
  }
}

TEST(TiledAttention, TheOrderIsThatOfTheKernel) {
  TiledAttention attention =
      walk({"T=64", "d_head=16", "block_q=32", "block_k=16", "causal=1", "element_bytes=4"});
  std::string order;
  for (std::size_t i = 0; i < attention.steps(); ++i) {
    const TiledAttention::Step& step = attention.step(i);
    const char* const name = step.action == TiledAttention::Action::load_queries ? "q"
                             : step.action == TiledAttention::Action::load_keys  ? "k"
                                                                                 : "o";
    order += name + std::to_string(step.key_tile < 0 ? step.query_tile : step.key_tile);
  }
  EXPECT_EQ(order, "q0k0k1o0q1k0k1k2k3o1");
  EXPECT_EQ(attention.tile(0, 2), TiledAttention::Tile::skipped);
  EXPECT_EQ(attention.tile(0, 1), TiledAttention::Tile::masked);
  EXPECT_EQ(attention.tile(1, 0), TiledAttention::Tile::full);
  // Back and forth gives the same numbers.
  const std::vector<float> forth = attention.rows(8).acc;
  (void)attention.rows(2);
  (void)attention.rows(7);
  EXPECT_EQ(attention.rows(8).acc, forth);
}

double figure(TiledAttention& of, std::string_view name) {
  for (const calculate::Figure& one : of.figures()) {
    if (one.name == name) return one.value;
  }
  return NAN;
}

// E-39. PyTorch's numbers of seed 0 have the same largest error, 0.1848.
TEST(TiledAttention, ADivisionThatRoundsDownLeavesRowsOfZeros) {
  TiledAttention dropped = walk(
      {"T=1000", "d_head=64", "block_q=64", "block_k=64", "causal=0", "seed=2", "drop_tail=1"});
  EXPECT_EQ(dropped.query_tiles(), 15);
  EXPECT_EQ(dropped.key_tiles(), 15);
  EXPECT_EQ(figure(dropped, "zero_rows"), 40);
  EXPECT_NEAR(figure(dropped, "largest_error"), 0.1848, 5e-5);
  // Rows that are there lack the keys of the tail.
  EXPECT_GT(dropped.error(0), 0.01);
  TiledAttention whole =
      walk({"T=1000", "d_head=64", "block_q=64", "block_k=64", "causal=0", "seed=2"});
  EXPECT_EQ(figure(whole, "zero_rows"), 0);
  EXPECT_LT(figure(whole, "largest_error"), 1e-5);
  // Under a mask whole rows see no key of the tail.
  TiledAttention masked = walk({"T=100", "block_q=32", "block_k=32", "causal=1", "drop_tail=1"});
  EXPECT_LT(masked.error(2), 2e-6);
  EXPECT_EQ(figure(masked, "zero_rows"), 4);
  TiledAttention small = walk({"T=20", "block_q=32", "block_k=32", "causal=0", "drop_tail=1"});
  EXPECT_EQ(figure(small, "zero_rows"), 0) << "one tile remains";
}

TEST(TiledAttention, BytesAreThoseOfTheFormula) {
  TiledAttention attention =
      walk({"T=1024", "d_head=64", "block_q=128", "block_k=64", "causal=0", "element_bytes=2"});
  calculate::Values io(**calculate::calculator_from("attention_io"));
  ASSERT_TRUE(io.set("block_q=128"));
  const std::vector<double> terms = io.terms();
  const TiledAttention::Step& end = attention.step(attention.steps() - 1);
  // The formula counts a logarithm a row as one element; it is in fp32.
  EXPECT_EQ(static_cast<double>(end.read + end.written), terms[1] * 2 + 1024 * 2);
  EXPECT_EQ(static_cast<double>(attention.naive().all()), terms[0] * 2);
}

TEST(TiledAttention, ACausalMaskHalvesWhatIsLoaded) {
  TiledAttention all = walk({"T=1024", "causal=0"}), half = walk({"T=1024", "causal=1"});
  const auto loaded = [](TiledAttention& of) {
    return of.step(of.steps() - 1).read - 1024 * 64 * 2;
  };
  EXPECT_NEAR(static_cast<double>(loaded(half)) / static_cast<double>(loaded(all)), 33.0 / 64,
              1e-9);
}

// A2-33: 115,200 bytes were asked for, 101,376 is the limit. The formula has all but two numbers a
// row of Q.
TEST(TileBudget, LimitsAndWhatFits) {
  const TileSizes sizes{
      .d_head = 128, .block_q = 64, .block_k = 64, .element_bytes = 4, .stages = 1};
  EXPECT_EQ(shared_memory(sizes).all() + 2 * 4 * 64, 115'200);
  EXPECT_EQ(stats::largest_shared_block("8.9"), 101'376);
  EXPECT_EQ(stats::largest_shared_block("8.0"), 166'912);
  EXPECT_EQ(stats::largest_shared_block("9.0"), 232'448);
  EXPECT_EQ(stats::largest_shared_block("7.5"), 65'536);
  EXPECT_FALSE(stats::largest_shared_block("1.0"));
  const auto smaller = shrunk_to(101'376, sizes);
  ASSERT_TRUE(smaller);
  EXPECT_EQ(smaller->block_q, 64);
  EXPECT_EQ(smaller->block_k, 32);
  TileSizes copies = sizes;
  copies.block_k = 32;
  copies.stages = 3;
  EXPECT_EQ(shrunk_to(101'376, copies)->stages, 1);
  EXPECT_FALSE(shrunk_to(1024, sizes)) << "never under 16 rows";
  EXPECT_TRUE(fit_of("A", 166'912, sizes).fits);
  EXPECT_FALSE(fit_of("B", 101'376, sizes).fits);
  EXPECT_EQ(fit_of("C", std::nullopt, sizes).said.key, "stepper.no_limit");
}

}  // namespace
}  // namespace ts::stepper
