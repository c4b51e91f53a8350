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

io::TextTable table_of(const spec::Gpu& gpu, const StageSizes& sizes) {
  return stage_table(stage_rows(read_resources(kPrinted), gpu, sizes));
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

// 128 registers and 128 threads: 16 warps of 64 by registers. 32 KiB: 5 blocks of 164 KiB.
TEST(StageTable, OccupancyOfACard) {
  const io::TextTable table = table_of(card("8.0"), {});
  ASSERT_EQ(table.rows.size(), 1U);
  EXPECT_EQ(table.rows[0][0], "tensor_core");
  EXPECT_EQ(table.rows[0][4], "32.00 KiB");
  EXPECT_EQ(table.rows[0][6], "25 %");
  EXPECT_EQ(table.rows[0][7], "registers");
}

// Code for 8.6 is what an 8.9 runs; code of another major number is not.
TEST(StageTable, TakesTheCodeThatTheDriverTakes) {
  const io::TextTable table = table_of(card("8.9"), {});
  ASSERT_EQ(table.rows.size(), 2U);
  EXPECT_TRUE(table_of(card("9.0"), {}).rows.empty());
  EXPECT_TRUE(table_of(card("8.9"), {.type = "fp32"}).rows.empty());
}

TEST(StageTable, BytesAndFlops) {
  const StageSizes sizes{.type = "bf16", .d_head = 64, .heads = 1, .length = 256};
  // Q and O, L, and K and V for each of two blocks of 128 queries.
  EXPECT_EQ(stage_bytes("attention_tensor_core_forward", sizes),
            2 * 256 * 64 * 2 + 256 * 4 + 2 * 2 * 256 * 64 * 2);
  EXPECT_EQ(stage_flops("attention_tensor_core_forward", sizes), 4.0 * 256 * 256 * 64);
  EXPECT_GT(stage_bytes("attention_naive_forward", sizes),
            stage_bytes("attention_tensor_core_forward", sizes));
}

// x and y of 64 tokens of 128 numbers, and a scale a token; 2,048 classes are the fewest of a
// chunk.
TEST(StageTable, OperatorsReadEachNumberOnce) {
  const auto resources = read_resources(
      "ptxas info    : Compiling entry function 'norm_forward_bf16' for 'sm_80'\n"
      "ptxas info    : Used 30 registers, used 0 barriers, 472 bytes cmem[0]\n"
      "ptxas info    : Compiling entry function 'cross_entropy_backward_bf16' for 'sm_80'\n"
      "ptxas info    : Used 28 registers, used 0 barriers, 472 bytes cmem[0]\n"
      "ptxas info    : Compiling entry function 'cross_entropy_mean_bf16' for 'sm_80'\n"
      "ptxas info    : Used 31 registers, used 1 barriers, 128 bytes smem, 448 bytes cmem[0]\n");
  const auto rows = operator_rows(resources, card("8.0"),
                                  {.type = "bf16", .d_head = 64, .heads = 2, .length = 64});
  ASSERT_EQ(rows.size(), 3U);
  EXPECT_EQ(rows[0].stage, "norm");
  EXPECT_EQ(rows[0].bytes, 2 * 64 * 128 * 2 + 64 * 4);
  EXPECT_TRUE(rows[0].memory_limits());
  EXPECT_EQ(rows[0].occupancy->share, 1);
  EXPECT_EQ(rows[1].stage, "cross_entropy");
  EXPECT_DOUBLE_EQ(*rows[1].least_seconds(), 64 * 4 / 2000e9) << "its sums are not counted";
  EXPECT_EQ(rows[2].bytes, 2 * 64 * 2048 * 2 + 64 * 16);
}

TEST(StageTable, WhatACardCannotRunIsSaid) {
  const auto said = [](const char* capability, StageSizes sizes) {
    std::string all;
    for (const base::Message& one : stage_remarks(card(capability), sizes))
      all += one.sentence + "|";
    return all;
  };
  EXPECT_EQ(said("7.5", {}),
            "The stage tensor cores needs compute capability 8.0|"
            "The stage warpgroups needs compute capability 9.0|");
  EXPECT_EQ(said("8.9", {.type = "fp32"}),
            "The stage tensor cores has kernels for 16-bit types only|"
            "The stage warpgroups has kernels for 16-bit types only|");
  EXPECT_EQ(said("9.0", {.d_head = 32}),
            "The stage warpgroups has kernels for heads of 64, 128 and 256|");
  EXPECT_EQ(said("10.0", {}), "The stage warpgroups is code of sm_90a, which only 9.0 runs|");
  EXPECT_NE(said("9.0", {}).find("the engine does not choose it"), std::string::npos);
  // Other languages have their own words for a stage.
  const auto remarks = stage_remarks(card("8.9"), {});
  ASSERT_EQ(remarks.size(), 1U);
  EXPECT_EQ(remarks[0].arguments.front().key, "own_kernels.stage.warpgroup");
}

}  // namespace
}  // namespace ts::report
