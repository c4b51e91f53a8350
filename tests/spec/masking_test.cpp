#include "core/spec/masking.h"

#include <gtest/gtest.h>

#include <array>

#include "core/spec/workload_math.h"
#include "core/spec/workload_traffic.h"

namespace ts::spec {
namespace {

WorkloadSpec masked(std::int64_t window, std::int64_t packed, bool causal) {
  WorkloadSpec spec;
  spec.seq_len = 50;
  spec.causal = causal;
  spec.window = window;
  spec.packed = packed;
  spec.backend = AttentionBackend::tiled;
  return spec;
}

// By definition, pair by pair.
bool sees(const Masking& masks, std::int64_t query, std::int64_t key) {
  if (masks.causal && key > query) return false;
  if (masks.window > 0 && std::abs(query - key) >= masks.window) return false;
  return masks.packed == 0 || query / masks.packed == key / masks.packed;
}

TEST(Masking, ranges_are_those_of_the_pairs) {
  for (const bool causal : {true, false}) {
    for (const auto& [window, packed] :
         {std::pair{0, 0}, {1, 0}, {7, 0}, {0, 1}, {0, 16}, {7, 16}, {30, 16}, {99, 99}}) {
      const WorkloadSpec spec = masked(window, packed, causal);
      const Masking masks = masking(spec);
      for (std::int64_t begin = 0; begin < spec.seq_len; ++begin) {
        for (std::int64_t end = begin + 1; end <= std::min<std::int64_t>(begin + 9, 50); ++end) {
          const Masking::Range seen = masks.seen_by({begin, end}, spec.seq_len);
          for (std::int64_t key = 0; key < spec.seq_len; ++key) {
            bool any = false;
            for (std::int64_t query = begin; query < end; ++query)
              any = any || sees(masks, query, key);
            ASSERT_EQ(key >= seen.begin && key < seen.end, any)
                << begin << ".." << end << " " << key << " window " << window << " packed "
                << packed;
          }
        }
      }
    }
  }
}

TEST(Masking, tiles_are_counted_as_they_are_computed) {
  for (const bool causal : {true, false}) {
    for (const auto& [window, packed] : {std::pair{7, 0}, {0, 16}, {7, 16}}) {
      WorkloadSpec spec = masked(window, packed, causal);
      spec.tile_q = 16;
      spec.tile_k = 12;
      double pairs = 0;
      for (std::int64_t q = 0; q < 50; q += 16) {
        for (std::int64_t k = 0; k < 50; k += 12) {
          const std::int64_t rows = std::min<std::int64_t>(16, 50 - q);
          const std::int64_t columns = std::min<std::int64_t>(12, 50 - k);
          bool any = false;
          for (std::int64_t i = q; i < q + rows; ++i)
            for (std::int64_t j = k; j < k + columns; ++j) any = any || sees(masking(spec), i, j);
          if (any) pairs += static_cast<double>(rows * columns);
        }
      }
      EXPECT_DOUBLE_EQ(tiled_share(spec, 50, 50), pairs / 2500);
      const double all = 4.0 * 4 * 8 * 50 * 50 * 64;
      EXPECT_DOUBLE_EQ(step_flops(spec, AttentionBackend::tiled).forward, all * pairs / 2500);
      // A kernel that gets the mask as a tensor computes every pair.
      EXPECT_DOUBLE_EQ(step_flops(spec, AttentionBackend::flash).forward, all);
    }
  }
}

// The block mask of the exercise: 16 sequences of 64 tokens in 1,024.
//   course: VLM-26
TEST(Masking, block_diagonal_keeps_a_sixteenth) {
  WorkloadSpec spec = masked(0, 64, false);
  spec.seq_len = 1024;
  EXPECT_DOUBLE_EQ(tiled_share(spec, 1024, 1024), 1.0 / 16);
}

TEST(Masking, shortest_sequence_has_all_the_padding) {
  EXPECT_EQ(padded_keys(30, 0, 1), 30);
  EXPECT_EQ(padded_keys(30, 0, 3), 10);
  EXPECT_EQ(padded_keys(30, 2, 3), 30);
}

TEST(Masking, a_mask_or_a_dropout_that_a_backend_has_not_is_refused) {
  const auto key_of = [](const WorkloadSpec& spec) {
    const auto problems = validate(spec);
    return problems.empty() ? std::string() : problems.front().key;
  };
  WorkloadSpec spec = masked(7, 0, true);
  spec.backend = AttentionBackend::own;
  EXPECT_EQ(key_of(spec), "spec.error.backend_masks");
  spec.backend = AttentionBackend::flash;
  EXPECT_EQ(key_of(spec), "");
  spec.device = DeviceKind::cuda;
  spec.dtype = DataType::bf16;
  EXPECT_EQ(key_of(spec), "spec.error.backend_masks");
  spec.backend = AttentionBackend::efficient;
  EXPECT_EQ(key_of(spec), "");
  spec.attn_dropout = 0.1;
  EXPECT_EQ(key_of(spec), "");
  spec.window = 0;
  spec.backend = AttentionBackend::flash;
  EXPECT_EQ(key_of(spec), "") << "flash drops on a GPU";
  spec.device = DeviceKind::cpu;
  EXPECT_EQ(key_of(spec), "spec.error.backend_dropout");
  spec.backend = AttentionBackend::tiled;
  EXPECT_EQ(key_of(spec), "spec.error.backend_dropout");
  spec.pass = Pass::forward;
  EXPECT_EQ(key_of(spec), "") << "nothing is dropped without a graph";
  spec.causal = false;
  spec.seq_len_kv = 20;
  spec.padding = 20;
  EXPECT_EQ(key_of(spec), "spec.error.padding_whole");
  spec.padding = 19;
  EXPECT_EQ(key_of(spec), "");
  spec.window = 5;
  EXPECT_EQ(key_of(spec), "spec.error.window_cross");
  spec.window = 0;
  spec.packed = 5;
  EXPECT_EQ(key_of(spec), "spec.error.packed_cross");
}

// Two more squares in the forward and one in the backward; of one byte on a GPU.
TEST(Masking, dropped_probabilities_are_moved) {
  WorkloadSpec spec;
  const double square = 4.0 * 8 * 512 * 512;
  const auto more = [&](DeviceKind device, DataType type) {
    spec.device = device;
    spec.dtype = type;
    spec.attn_dropout = 0;
    const double before = step_traffic(spec, AttentionBackend::naive);
    spec.attn_dropout = 0.5;
    return (step_traffic(spec, AttentionBackend::naive) - before) / square;
  };
  EXPECT_NEAR(more(DeviceKind::cpu, DataType::fp32), 3 * 4, 1e-9);
  EXPECT_NEAR(more(DeviceKind::cuda, DataType::bf16), 2 + 2 * 1, 1e-9);
  spec.attn_dropout = 0;
  spec.device = DeviceKind::cpu;
  spec.dtype = DataType::fp32;
  const double flash = step_traffic(spec, AttentionBackend::flash);
  spec.padding = 3;
  EXPECT_NEAR(step_traffic(spec, AttentionBackend::flash) - flash, 2 * 4 * 4.0 * 512 * 512, 1e-3);
}

TEST(Masking, only_naive_has_a_softcap) {
  WorkloadSpec spec;
  spec.workload = WorkloadKind::lm;
  spec.softcap = 50;
  spec.backend = AttentionBackend::naive;
  EXPECT_TRUE(validate(spec).empty());
  for (const auto backend :
       {AttentionBackend::math, AttentionBackend::tiled, AttentionBackend::automatic}) {
    spec.backend = backend;
    const auto problems = validate(spec);
    ASSERT_EQ(problems.size(), 1U);
    EXPECT_EQ(problems.front().key, "spec.error.backend_softcap");
  }
}

}  // namespace
}  // namespace ts::spec
