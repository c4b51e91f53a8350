#pragma once

#include <array>
#include <string>

// The stages of attention, as whoever launches their kernels needs them. The kernels take their
// tiles from here. Plain C++, for nvcc too.
namespace ts::report {

constexpr int kNaiveRows = 128;  // threads
// Warpgroups that multiply, 64 queries each: as many as have the registers for O, S and P.
constexpr int warpgroup_consumers(int d_head) {
  return d_head > 64 ? 2 : 3;
}
constexpr int kWarpgroupPlaces = 2;  // for tiles of K, and as many for tiles of V
// So that all of a block fits the 227 KiB of sm_90.
constexpr int warpgroup_keys(int d_head) {
  return d_head > 128 ? 64 : 128;
}

// Its backward, whose sums leave room for two warpgroups and smaller tiles of the other side.
constexpr int kWarpgroupBackwardConsumers = 2;
constexpr int kWarpgroupBackwardOther = 64;

// Tiles of the tiled stage, so that all of a block fit 64 KiB (sm_75): the rows that it has for
// good, and those of the other side.
constexpr int tiled_forward_rows(int d_head) {
  return d_head > 128 ? 16 : d_head > 64 ? 32 : 64;
}
constexpr int tiled_backward_rows(int d_head) {
  return d_head > 128 ? 8 : d_head > 64 ? 16 : 32;
}
constexpr int tiled_other(int d_head) {
  return d_head > 128 ? 16 : 32;
}
// Times 16 rows that a warp of the tensor-core stage has of a tile: two where their sums fit its
// registers, as each matrix of the other side that it reads then serves for two products.
constexpr int tensor_core_fragments(int d_head) {
  return d_head > 128 ? 1 : 2;
}
constexpr int tensor_core_d_kv_fragments(int d_head) {
  return d_head > 64 ? 1 : 2;
}
// Rows of a tile of the other side.
constexpr int tensor_core_forward_other(int d_head) {
  return d_head > 128 ? 32 : 64;
}
constexpr int tensor_core_backward_other(int d_head) {
  return d_head > 128 ? 16 : 32;
}
constexpr int kTensorCoreBackwardPlaces = 2;  // for tiles of the other side
// Warps of the tensor-core stage that share the rows of a d_kv tile: each has some of the columns
// of both sums, which would not fit the registers of one.
constexpr int tensor_core_column_warps(int d_head) {
  return d_head > 128 ? 2 : 1;
}

// The threads of a block.
struct Threads {
  unsigned x, y;
};

inline constexpr std::array kAttentionWidths = {32, 64, 128, 256};

// One kernel. A block has `rows` queries, or keys where `of_keys`, of one head: blockIdx.x says
// which, blockIdx.y the head. It goes through the other side in tiles of `other` rows; 1: row by
// row.
struct StageKernel {
  const char* stage;
  const char* part;      // forward, row_sums, d_q or d_kv
  const char* function;  // the name of a kernel is FUNCTION_TYPE_WIDTH
  Threads (*threads)(int d_head);
  bool of_keys = false;
  int (*rows)(int d_head);
  int (*other)(int d_head);
  int (*shared_bytes)(int d_head);
  bool takes_fp32 = false;
  int first_capability;                                                        // 75 is sm_75
  int narrowest = kAttentionWidths.front(), widest = kAttentionWidths.back();  // head

  [[nodiscard]] std::string kernel(const std::string& type, int d_head) const {
    return function + ("_" + type) + "_" + std::to_string(d_head);
  }
};

namespace stage_sizes {
constexpr int naive_rows(int /*d_head*/) {
  return kNaiveRows;
}
constexpr int nothing_shared(int /*d_head*/) {
  return 0;
}
constexpr int one_row(int /*d_head*/) {
  return 1;
}
constexpr Threads threads_in_a_line(int /*d_head*/) {
  return {128, 1};
}
constexpr Threads tiled_threads(int /*d_head*/) {
  return {16, 16};
}
constexpr Threads tiled_backward_threads(int d_head) {
  return {16, tiled_backward_rows(d_head) < 16 ? 8U : 16U};
}
constexpr Threads tensor_core_d_kv_threads(int d_head) {
  return {128U * static_cast<unsigned>(tensor_core_column_warps(d_head)), 1};
}
// Floats: rows of d_head + 1 numbers, weights in rows of tiled_other() + 1.
constexpr int tiled_forward_bytes(int d_head) {
  const int rows = tiled_forward_rows(d_head);
  const int other = tiled_other(d_head);
  return 4 * ((rows + 2 * other) * (d_head + 1) + rows * (other + 1));
}
constexpr int tiled_backward_bytes(int d_head, int weights) {
  const int rows = tiled_backward_rows(d_head);
  const int other = tiled_other(d_head);
  return 4 * (2 * (rows + other) * (d_head + 1) + weights * rows * (other + 1));
}
constexpr int tiled_d_q_bytes(int d_head) {
  return tiled_backward_bytes(d_head, 1);
}
constexpr int tiled_d_kv_bytes(int d_head) {
  return tiled_backward_bytes(d_head, 2);
}
// Rows of four warps, or of four pairs of them.
constexpr int tensor_core_rows(int d_head) {
  return 64 * tensor_core_fragments(d_head);
}
constexpr int tensor_core_d_kv_rows(int d_head) {
  return 64 * tensor_core_d_kv_fragments(d_head);
}
constexpr int tensor_core_forward_bytes(int d_head) {
  return 2 * (tensor_core_rows(d_head) + 2 * tensor_core_forward_other(d_head)) * d_head;
}
constexpr int tensor_core_backward_bytes(int rows, int d_head) {
  const int other = kTensorCoreBackwardPlaces * tensor_core_backward_other(d_head);
  return 2 * 2 * (rows + other) * d_head;
}
constexpr int tensor_core_d_q_bytes(int d_head) {
  return tensor_core_backward_bytes(tensor_core_rows(d_head), d_head);
}
constexpr int tensor_core_d_kv_bytes(int d_head) {
  return tensor_core_backward_bytes(tensor_core_d_kv_rows(d_head), d_head);
}
constexpr int warpgroup_rows(int d_head) {
  return 64 * warpgroup_consumers(d_head);
}
// One warpgroup more: one thread of the first brings tiles.
constexpr Threads warpgroup_threads(int d_head) {
  return {128 * (1 + static_cast<unsigned>(warpgroup_consumers(d_head))), 1};
}
// Q, the places of K and V, and a kibibyte with the barriers: tiles begin at multiples of it.
constexpr int warpgroup_bytes(int d_head) {
  return 2 * (warpgroup_rows(d_head) + 2 * kWarpgroupPlaces * warpgroup_keys(d_head)) * d_head +
         1024;
}
constexpr int warpgroup_backward_rows(int /*d_head*/) {
  return 64 * kWarpgroupBackwardConsumers;
}
constexpr int warpgroup_backward_other(int /*d_head*/) {
  return kWarpgroupBackwardOther;
}
constexpr Threads warpgroup_backward_threads(int /*d_head*/) {
  return {128 * (1 + kWarpgroupBackwardConsumers), 1};
}
// Two tiles for good, and the places of two that come.
constexpr int warpgroup_backward_bytes(int d_head) {
  return 2 * 2 * (64 * kWarpgroupBackwardConsumers + kWarpgroupPlaces * kWarpgroupBackwardOther) *
             d_head +
         1024;
}
}  // namespace stage_sizes

// In reading order. The backward of every stage begins with row_sums.
inline constexpr std::array kAttentionKernels = std::to_array<StageKernel>({
    {.stage = "naive",
     .part = "forward",
     .function = "attention_naive_forward",
     .threads = stage_sizes::threads_in_a_line,
     .rows = stage_sizes::naive_rows,
     .other = stage_sizes::one_row,
     .shared_bytes = stage_sizes::nothing_shared,
     .takes_fp32 = true,
     .first_capability = 75},
    {.stage = "all",
     .part = "row_sums",
     .function = "attention_row_sums",
     .threads = stage_sizes::threads_in_a_line,
     .rows = stage_sizes::naive_rows,
     .other = stage_sizes::one_row,
     .shared_bytes = stage_sizes::nothing_shared,
     .takes_fp32 = true,
     .first_capability = 75},
    {.stage = "naive",
     .part = "d_q",
     .function = "attention_naive_d_q",
     .threads = stage_sizes::threads_in_a_line,
     .rows = stage_sizes::naive_rows,
     .other = stage_sizes::one_row,
     .shared_bytes = stage_sizes::nothing_shared,
     .takes_fp32 = true,
     .first_capability = 75},
    {.stage = "naive",
     .part = "d_kv",
     .function = "attention_naive_d_kv",
     .threads = stage_sizes::threads_in_a_line,
     .of_keys = true,
     .rows = stage_sizes::naive_rows,
     .other = stage_sizes::one_row,
     .shared_bytes = stage_sizes::nothing_shared,
     .takes_fp32 = true,
     .first_capability = 75},
    {.stage = "tiled",
     .part = "forward",
     .function = "attention_tiled_forward",
     .threads = stage_sizes::tiled_threads,
     .rows = tiled_forward_rows,
     .other = tiled_other,
     .shared_bytes = stage_sizes::tiled_forward_bytes,
     .takes_fp32 = true,
     .first_capability = 75},
    {.stage = "tiled",
     .part = "d_q",
     .function = "attention_tiled_d_q",
     .threads = stage_sizes::tiled_backward_threads,
     .rows = tiled_backward_rows,
     .other = tiled_other,
     .shared_bytes = stage_sizes::tiled_d_q_bytes,
     .takes_fp32 = true,
     .first_capability = 75},
    {.stage = "tiled",
     .part = "d_kv",
     .function = "attention_tiled_d_kv",
     .threads = stage_sizes::tiled_backward_threads,
     .of_keys = true,
     .rows = tiled_backward_rows,
     .other = tiled_other,
     .shared_bytes = stage_sizes::tiled_d_kv_bytes,
     .takes_fp32 = true,
     .first_capability = 75},
    {.stage = "tensor_core",
     .part = "forward",
     .function = "attention_tensor_core_forward",
     .threads = stage_sizes::threads_in_a_line,
     .rows = stage_sizes::tensor_core_rows,
     .other = tensor_core_forward_other,
     .shared_bytes = stage_sizes::tensor_core_forward_bytes,
     .first_capability = 80},
    {.stage = "tensor_core",
     .part = "d_q",
     .function = "attention_tensor_core_d_q",
     .threads = stage_sizes::threads_in_a_line,
     .rows = stage_sizes::tensor_core_rows,
     .other = tensor_core_backward_other,
     .shared_bytes = stage_sizes::tensor_core_d_q_bytes,
     .first_capability = 80},
    {.stage = "tensor_core",
     .part = "d_kv",
     .function = "attention_tensor_core_d_kv",
     .threads = stage_sizes::tensor_core_d_kv_threads,
     .of_keys = true,
     .rows = stage_sizes::tensor_core_d_kv_rows,
     .other = tensor_core_backward_other,
     .shared_bytes = stage_sizes::tensor_core_d_kv_bytes,
     .first_capability = 80},
    {.stage = "warpgroup",
     .part = "forward",
     .function = "attention_warpgroup_forward",
     .threads = stage_sizes::warpgroup_threads,
     .rows = stage_sizes::warpgroup_rows,
     .other = warpgroup_keys,
     .shared_bytes = stage_sizes::warpgroup_bytes,
     .first_capability = 90,
     .narrowest = 64},
    {.stage = "warpgroup",
     .part = "d_q",
     .function = "attention_warpgroup_d_q",
     .threads = stage_sizes::warpgroup_backward_threads,
     .rows = stage_sizes::warpgroup_backward_rows,
     .other = stage_sizes::warpgroup_backward_other,
     .shared_bytes = stage_sizes::warpgroup_backward_bytes,
     .first_capability = 90,
     .narrowest = 64,
     .widest = 128},
    {.stage = "warpgroup",
     .part = "d_kv",
     .function = "attention_warpgroup_d_kv",
     .threads = stage_sizes::warpgroup_backward_threads,
     .of_keys = true,
     .rows = stage_sizes::warpgroup_backward_rows,
     .other = stage_sizes::warpgroup_backward_other,
     .shared_bytes = stage_sizes::warpgroup_backward_bytes,
     .first_capability = 90,
     .narrowest = 64,
     .widest = 128},
});

}  // namespace ts::report
