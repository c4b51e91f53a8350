#pragma once

#include <cstdint>
#include <vector>

#include "core/base/message.h"
#include "core/spec/gpu_catalogue.h"
#include "core/spec/workload_spec.h"

// The properties of each attention backend, one row for each. They determine the settings that it
// can run with, its FLOPs and its bytes.
namespace ts::spec {

// The T x T_kv pairs that a backend computes under a causal mask.
enum class MaskedPairs : std::uint8_t {
  computed,       // all, and masks the result
  skipped,        // only the pairs that are not masked
  skipped_tiles,  // all pairs of every tile that has one that is not masked
};

struct BackendTraits {
  AttentionBackend backend;
  bool of_sdpa = true;  // a kernel of PyTorch's scaled_dot_product_attention, or its own choice
  bool on_cpu = true;
  // True if its CUDA kernels take 16-bit types only.
  bool only_16_bits = false;
  std::int64_t largest_head = 0;   // of its CUDA kernels; 0: no limit
  bool groups_queries = true;      // takes fewer kv_heads than heads
  bool stores_scores = true;       // tensors of T x T_kv numbers
  bool recomputes_scores = false;  // in the backward, instead of keeping them
  MaskedPairs masked = MaskedPairs::computed;
  // Masks besides the causal one. PyTorch's fused kernels get them as a tensor, and then skip no
  // pair.
  bool masks_on_cpu = true;
  bool masks_on_cuda = true;
  bool one_width = false;  // of heads of keys and values
  // Dropout of the probabilities.
  bool drops_on_cpu = true;
  bool drops_on_cuda = true;
};

const BackendTraits& traits_of(AttentionBackend backend);

// A condition for PyTorch's flash attention on a card, for the current settings.
struct FlashCondition {
  base::Message words;  // the value and what is asked of it
  bool holds = true;
};
// All of them, of device, type, head size, alignment, mask and length, and of the backward where a
// card restricts it; in the order in which PyTorch 2.11 asks (sdp_utils.cpp, use_flash_attention).
// Empty without attention, and for a card whose compute capability is no number (AMD's "gfx942").
// On a CPU flash runs in every type and size.
std::vector<FlashCondition> flash_conditions(const WorkloadSpec& spec, const Gpu& card);

}  // namespace ts::spec
