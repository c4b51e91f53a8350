// The executor on small kernels: what they compute, and which mistakes it finds. Accesses are seen
// in builds without a sanitizer only (kernels/executor/executor.h).
#include "kernels/executor/executor.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <span>

#include "kernels/executor/state.h"
#include "kernels/executor/tensor_core.h"
#include "tests/executor/wrong_kernels.h"

namespace ts::executor {
namespace {

using Kind = Finding::Kind;

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
constexpr bool kSeesAccesses = false;
#else
constexpr bool kSeesAccesses = true;
#endif

struct Executor : testing::Test {
  void TearDown() override { release_tensors(); }
  static std::span<float> tensor(const char* name, std::size_t count, bool writable = true) {
    return {static_cast<float*>(allocate(name, count * sizeof(float), sizeof(float), writable)),
            count};
  }
};

struct ExecutorSeesAccesses : Executor {
  void SetUp() override {
    if (!kSeesAccesses) GTEST_SKIP() << "a sanitizer has the compiler's calls";
  }
};

TEST_F(Executor, SharedMemoryAndBarriers) {
  const auto in = tensor("in", 200, false), out = tensor("out", 200);
  std::generate(in.begin(), in.end(), [i = 0.0F]() mutable { return i++; });
  samples::reverse(in.data(), out.data(), 200, true);
  EXPECT_FALSE(take_finding());
  for (std::size_t i = 0; i < 200; ++i) EXPECT_EQ(out[i], in[199 - i]);
}

TEST_F(Executor, ShufflesOfAWarp) {
  const auto in = tensor("in", 192, false), out = tensor("out", 3);
  std::fill(in.begin(), in.end(), 1.0F);
  in[64] = 5;
  samples::block_sums(in.data(), out.data(), 3);
  EXPECT_FALSE(take_finding());
  EXPECT_EQ(out[0], 64);
  EXPECT_EQ(out[1], 68);
  EXPECT_EQ(out[2], 64);
}

TEST_F(Executor, AtomicsDoNotRace) {
  const auto out = tensor("out", 1);
  samples::counts(out.data(), 100);
  EXPECT_FALSE(take_finding());
  EXPECT_EQ(out[0], 200);
}

TEST_F(Executor, AtomicsHaveAPlace) {
  const auto in = tensor("in", 8, false), out = tensor("out", 40);
  samples::counts(out.data() + 40, 1);
  Finding finding = take_finding();
  EXPECT_EQ(finding.kind, Kind::outside);
  EXPECT_EQ(finding.memory, "out");
  EXPECT_EQ(finding.index, 40);
  EXPECT_EQ(finding.elements, 40);
  EXPECT_EQ(finding.thread, 0);
  EXPECT_TRUE(finding.write);
  samples::counts(out.data() - 1, 1);
  finding = take_finding();
  EXPECT_EQ(finding.kind, Kind::outside);
  EXPECT_EQ(finding.memory, "out");
  EXPECT_EQ(finding.index, -1);
  samples::counts(in.data() + 3, 1);
  finding = take_finding();
  EXPECT_EQ(finding.kind, Kind::read_only);
  EXPECT_EQ(finding.index, 3);
}

TEST_F(Executor, ABarrierThatNotAllReach) {
  const auto out = tensor("out", 64);
  samples::barrier_in_a_branch(out.data());
  const Finding finding = take_finding();
  EXPECT_EQ(finding.kind, Kind::barrier);
  EXPECT_EQ(finding.thread, 0);
  EXPECT_GE(finding.other, 32);
}

TEST_F(Executor, TooManyThreads) {
  const auto out = tensor("out", 1);
  samples::counts(out.data(), 1025);
  EXPECT_EQ(take_finding().kind, Kind::block_size);
  samples::counts(out.data(), 1024);
  EXPECT_FALSE(take_finding());
}

TEST_F(ExecutorSeesAccesses, AMissingBarrierIsARace) {
  const auto in = tensor("in", 200, false), out = tensor("out", 200);
  samples::reverse(in.data(), out.data(), 200, false);
  const Finding finding = take_finding();
  // Thread 0 reads what thread 199 has not written yet, or has written without a barrier.
  EXPECT_TRUE(finding.kind == Kind::race || finding.kind == Kind::not_written);
  EXPECT_EQ(finding.memory, "shared memory");
}

TEST_F(ExecutorSeesAccesses, LanesOfAWarpRaceToo) {
  const auto out = tensor("out", 32);
  samples::shuffle_needs_a_barrier(out.data(), false);
  EXPECT_TRUE(take_finding());
  samples::shuffle_needs_a_barrier(out.data(), true);
  EXPECT_FALSE(take_finding());
  EXPECT_EQ(out[4], 5);
}

TEST_F(ExecutorSeesAccesses, OutsideOfATensor) {
  const auto out = tensor("out", 40);
  samples::writes_past_the_end(out.data(), 40);
  const Finding finding = take_finding();
  EXPECT_EQ(finding.kind, Kind::outside);
  EXPECT_EQ(finding.memory, "out");
  EXPECT_EQ(finding.index, 40);
  EXPECT_EQ(finding.elements, 40);
  EXPECT_EQ(finding.thread, 40);
  EXPECT_TRUE(finding.write);
}

TEST_F(ExecutorSeesAccesses, OutsideOfSharedMemory) {
  const auto out = tensor("out", 64);
  samples::dynamic_shared_memory_too_small(out.data());
  const Finding finding = take_finding();
  EXPECT_EQ(finding.kind, Kind::outside);
  EXPECT_EQ(finding.memory, "shared memory");
  EXPECT_EQ(finding.thread, 63);
}

TEST_F(ExecutorSeesAccesses, AnInputIsWritten) {
  const auto in = tensor("in", 8, false);
  samples::writes_input(in.data());
  const Finding finding = take_finding();
  EXPECT_EQ(finding.kind, Kind::read_only);
  EXPECT_EQ(finding.index, 3);
}

TEST_F(ExecutorSeesAccesses, SharedMemoryThatNobodyWrote) {
  const auto out = tensor("out", 32);
  samples::reads_unwritten_shared_memory(out.data());
  const Finding finding = take_finding();
  EXPECT_EQ(finding.kind, Kind::not_written);
  EXPECT_EQ(finding.thread, 31);
}

TEST_F(ExecutorSeesAccesses, TwoBlocksAtOnePlace) {
  const auto out = tensor("out", 4);
  samples::two_blocks_write_one_place(out.data());
  const Finding finding = take_finding();
  EXPECT_EQ(finding.kind, Kind::race);
  EXPECT_EQ(finding.block.x, 1U);
  EXPECT_EQ(finding.other_block.x, 0U);
}

// The layouts of fragments, by a product whose factors are loaded as the PTX ISA draws them.
TEST_F(Executor, AProductByTensorCoreInstructions) {
  const auto out = tensor("out", 16 * 8);
  std::uint16_t a[16][16], b[16][8];  // integers of 16 bits stand for themselves
  for (int i = 0; i < 256; ++i) a[i / 16][i % 16] = static_cast<std::uint16_t>(i * 7 % 11);
  for (int i = 0; i < 128; ++i) b[i / 8][i % 8] = static_cast<std::uint16_t>(i * 5 % 13);
  auto* const shared =
      static_cast<std::uint16_t*>(allocate("tiles", 2 * (256 + 256), sizeof(std::uint16_t), false));
  for (int i = 0; i < 256; ++i) shared[i] = a[i / 16][i % 16];
  for (int i = 0; i < 256; ++i) shared[256 + i] = i % 16 < 8 ? b[i / 16][i % 8] : 0;
  const Finding finding = launch({}, {32, 1, 1}, 0, [&] {
    std::uint32_t left[4], right[4];
    load_matrices(left, shared + lane() % 16 * 16 + lane() / 16 * 8, false);
    load_matrices(right, shared + 256 + lane() % 16 * 16 + lane() / 16 * 8, true);
    float sum[4] = {};
    multiply_add(sum, left, {right[0], right[1]},
                 [](std::uint16_t bits) { return static_cast<float>(bits); });
    for (int i = 0; i < 4; ++i) {
      const int row = lane() / 4 + i / 2 * 8, column = lane() % 4 * 2 + i % 2;
      out[static_cast<std::size_t>(row * 8 + column)] = sum[i];
    }
  });
  EXPECT_FALSE(finding) << name_of(finding.kind);
  for (int row = 0; row < 16; ++row) {
    for (int column = 0; column < 8; ++column) {
      int sum = 0;
      for (int k = 0; k < 16; ++k) sum += a[row][k] * b[k][column];
      EXPECT_EQ(out[static_cast<std::size_t>(row * 8 + column)], static_cast<float>(sum));
    }
  }
}

}  // namespace
}  // namespace ts::executor
