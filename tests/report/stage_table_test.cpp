// The table of stages on lines as ptxas prints them.
#include "core/report/stage_table.h"

#include <gtest/gtest.h>

#include <string>

namespace ts::report {
namespace {

constexpr const char* kPrinted =
    "ptxas info    : 0 bytes gmem\n"
    "ptxas info    : Compiling entry function 'attention_tensor_core_forward_bf16_64' for 'sm_80'\n"
    "ptxas info    : Function properties for attention_tensor_core_forward_bf16_64\n"
    "    0 bytes stack frame, 0 bytes spill stores, 0 bytes spill loads\n"
    "ptxas info    : Used 128 registers, used 1 barriers, 456 bytes cmem[0]\n"
    "ptxas info    : Compiling entry function 'attention_tiled_forward_bf16_64' for 'sm_86'\n"
    "    8 bytes stack frame, 12 bytes spill stores, 20 bytes spill loads\n"
    "ptxas info    : Used 48 registers, used 1 barriers, 64 bytes smem, 456 bytes cmem[0]\n";

spec::Gpu card(const char* capability) {
  spec::Gpu gpu;
  gpu.name = "card";
  gpu.compute_capability = capability;
  gpu.bandwidth_gb_s = 2000;
  gpu.fp32_tflops = 20;
  gpu.bf16_tflops = 300;
  return gpu;
}

TEST(StageTable, ReadsWhatPtxasPrints) {
  const auto all = read_resources(kPrinted);
  ASSERT_EQ(all.size(), 2U);
  EXPECT_EQ(all[0].kernel, "attention_tensor_core_forward_bf16_64");
  EXPECT_EQ(all[0].capability, 80);
  EXPECT_EQ(all[0].registers, 128);
  EXPECT_EQ(all[1].spilled, 32);
  EXPECT_EQ(all[1].static_shared, 64);
  EXPECT_TRUE(read_resources("").empty());
}

// 128 registers and 128 threads: 16 warps of 64 by registers. 24 KiB: 6 blocks of 164 KiB.
TEST(StageTable, OccupancyOfACard) {
  const io::TextTable table = stage_table(read_resources(kPrinted), card("8.0"), {});
  ASSERT_EQ(table.rows.size(), 1U);
  EXPECT_EQ(table.rows[0][0], "tensor_core");
  EXPECT_EQ(table.rows[0][4], "24.00 KiB");
  EXPECT_EQ(table.rows[0][6], "25 %");
  EXPECT_EQ(table.rows[0][7], "registers");
}

// Code for 8.6 is what an 8.9 runs; code of another major number is not.
TEST(StageTable, TakesTheCodeThatTheDriverTakes) {
  const io::TextTable table = stage_table(read_resources(kPrinted), card("8.9"), {});
  ASSERT_EQ(table.rows.size(), 2U);
  EXPECT_TRUE(stage_table(read_resources(kPrinted), card("9.0"), {}).rows.empty());
  EXPECT_TRUE(stage_table(read_resources(kPrinted), card("8.9"), {.type = "fp32"}).rows.empty());
}

TEST(StageTable, BytesAndFlops) {
  const StageSizes sizes{.type = "bf16", .d_head = 64, .heads = 1, .length = 128};
  // Q and O, L, and K and V for each of two blocks of 64 queries.
  EXPECT_EQ(stage_bytes("attention_tensor_core_forward", sizes),
            2 * 128 * 64 * 2 + 128 * 4 + 2 * 2 * 128 * 64 * 2);
  EXPECT_EQ(stage_flops("attention_tensor_core_forward", sizes), 4.0 * 128 * 128 * 64);
  EXPECT_GT(stage_bytes("attention_naive_forward", sizes),
            stage_bytes("attention_tensor_core_forward", sizes));
}

}  // namespace
}  // namespace ts::report
