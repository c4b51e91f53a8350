#pragma once

#include <cstdint>

#include "core/spec/workload_spec.h"

// What sets the attention backends apart: one row for each. Which settings they can run with, FLOPs
// and bytes follow from it.
namespace ts::spec {

// Which of the T x T_kv pairs a backend computes under a causal mask.
enum class MaskedPairs : std::uint8_t {
  computed,       // all, and masks the result
  skipped,        // only those that count
  skipped_tiles,  // all of every tile that has one that counts
};

struct BackendTraits {
  AttentionBackend backend;
  bool on_cpu = true;
  // Of its kernels on CUDA.
  bool only_16_bits = false;
  std::int64_t largest_head = 0;   // 0: no limit
  bool groups_queries = true;      // takes fewer kv_heads than heads
  bool stores_scores = true;       // tensors of T x T_kv numbers
  bool recomputes_scores = false;  // in the backward, instead of keeping them
  MaskedPairs masked = MaskedPairs::computed;
};

const BackendTraits& traits_of(AttentionBackend backend);

}  // namespace ts::spec
