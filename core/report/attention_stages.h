#pragma once

#include <array>
#include <string>

// The stages of attention, as whoever launches their kernels needs them. The kernels take their
// tiles from here. Plain C++, for nvcc too.
namespace ts::report {

constexpr int kTensorCoreRows = 64;
constexpr int kTensorCoreForwardOther = 64;
constexpr int kTensorCoreBackwardOther = 32;
constexpr int kTiledOther = 32;
constexpr int kNaiveRows = 128;  // threads

// Rows of the tile that a block of the tiled stage has for good, so that all its tiles fit 64 KiB
// (sm_75).
constexpr int tiled_forward_rows(int d_head) {
  return d_head > 64 ? 32 : 64;
}
constexpr int tiled_backward_rows(int d_head) {
  return d_head > 64 ? 16 : 32;
}

// One kernel. A block has `rows` queries, or keys where `of_keys`, of one head: blockIdx.x says
// which, blockIdx.y the head. It goes through the other side in tiles of `other` rows; 1: row by
// row.
struct StageKernel {
  const char* stage;
  const char* part;      // forward, row_sums, d_q or d_kv
  const char* function;  // the name of a kernel is FUNCTION_TYPE_WIDTH
  unsigned threads_x, threads_y;
  bool of_keys;
  int (*rows)(int d_head);
  int other;
  int (*shared_bytes)(int d_head);
  bool takes_fp32;
  int first_capability;  // 75 is sm_75

  [[nodiscard]] std::string kernel(const std::string& type, int d_head) const {
    return function + ("_" + type) + "_" + std::to_string(d_head);
  }
};

inline constexpr std::array kAttentionTypes = {"fp32", "bf16", "fp16"};
inline constexpr std::array kAttentionWidths = {32, 64, 128};

namespace stage_sizes {
constexpr int naive_rows(int /*d_head*/) {
  return kNaiveRows;
}
constexpr int nothing_shared(int /*d_head*/) {
  return 0;
}
// Floats: rows of d_head + 1 numbers, weights in rows of kTiledOther + 1.
constexpr int tiled_forward_bytes(int d_head) {
  const int rows = tiled_forward_rows(d_head);
  return 4 * ((rows + 2 * kTiledOther) * (d_head + 1) + rows * (kTiledOther + 1));
}
constexpr int tiled_backward_bytes(int d_head, int weights) {
  const int rows = tiled_backward_rows(d_head);
  return 4 * (2 * (rows + kTiledOther) * (d_head + 1) + weights * rows * (kTiledOther + 1));
}
constexpr int tiled_d_q_bytes(int d_head) {
  return tiled_backward_bytes(d_head, 1);
}
constexpr int tiled_d_kv_bytes(int d_head) {
  return tiled_backward_bytes(d_head, 2);
}
constexpr int tensor_core_rows(int /*d_head*/) {
  return kTensorCoreRows;
}
constexpr int tensor_core_forward_bytes(int d_head) {
  return 2 * (kTensorCoreRows + 2 * kTensorCoreForwardOther) * d_head;
}
constexpr int tensor_core_backward_bytes(int d_head) {
  return 2 * 2 * (kTensorCoreRows + kTensorCoreBackwardOther) * d_head;
}
}  // namespace stage_sizes

// In reading order. The backward of every stage begins with row_sums.
inline constexpr std::array kAttentionKernels = std::to_array<StageKernel>({
    {"naive", "forward", "attention_naive_forward", 128, 1, false, stage_sizes::naive_rows, 1,
     stage_sizes::nothing_shared, true, 75},
    {"all", "row_sums", "attention_row_sums", 128, 1, false, stage_sizes::naive_rows, 1,
     stage_sizes::nothing_shared, true, 75},
    {"naive", "d_q", "attention_naive_d_q", 128, 1, false, stage_sizes::naive_rows, 1,
     stage_sizes::nothing_shared, true, 75},
    {"naive", "d_kv", "attention_naive_d_kv", 128, 1, true, stage_sizes::naive_rows, 1,
     stage_sizes::nothing_shared, true, 75},
    {"tiled", "forward", "attention_tiled_forward", 16, 16, false, tiled_forward_rows, kTiledOther,
     stage_sizes::tiled_forward_bytes, true, 75},
    {"tiled", "d_q", "attention_tiled_d_q", 16, 16, false, tiled_backward_rows, kTiledOther,
     stage_sizes::tiled_d_q_bytes, true, 75},
    {"tiled", "d_kv", "attention_tiled_d_kv", 16, 16, true, tiled_backward_rows, kTiledOther,
     stage_sizes::tiled_d_kv_bytes, true, 75},
    {"tensor_core", "forward", "attention_tensor_core_forward", 128, 1, false,
     stage_sizes::tensor_core_rows, kTensorCoreForwardOther, stage_sizes::tensor_core_forward_bytes,
     false, 80},
    {"tensor_core", "d_q", "attention_tensor_core_d_q", 128, 1, false,
     stage_sizes::tensor_core_rows, kTensorCoreBackwardOther,
     stage_sizes::tensor_core_backward_bytes, false, 80},
    {"tensor_core", "d_kv", "attention_tensor_core_d_kv", 128, 1, true,
     stage_sizes::tensor_core_rows, kTensorCoreBackwardOther,
     stage_sizes::tensor_core_backward_bytes, false, 80},
});

}  // namespace ts::report
