#include "core/spec/backend_traits.h"

#include <array>

namespace ts::spec {

namespace {

using A = AttentionBackend;

// The limits are those of LibTorch's sdp_utils.cpp. The kernel that `automatic` chooses is not
// known, so its formulas are those of math.
constexpr std::array<BackendTraits, kBackendCount> kBackendTraits = {{
    {.backend = A::naive},
    {.backend = A::math},
    {.backend = A::flash,
     .only_16_bits = true,
     .largest_head = 256,
     .stores_scores = false,
     .recomputes_scores = true,
     .masked = MaskedPairs::skipped},
    {.backend = A::efficient,
     .on_cpu = false,
     .groups_queries = false,
     .stores_scores = false,
     .recomputes_scores = true,
     .masked = MaskedPairs::skipped},
    {.backend = A::cudnn,
     .on_cpu = false,
     .only_16_bits = true,
     .stores_scores = false,
     .recomputes_scores = true,
     .masked = MaskedPairs::skipped},
    {.backend = A::tiled,
     .stores_scores = false,
     .recomputes_scores = true,
     .masked = MaskedPairs::skipped_tiles},
    {.backend = A::own,
     .on_cuda = false,
     .stores_scores = false,
     .recomputes_scores = true,
     .masked = MaskedPairs::skipped},
    {.backend = A::automatic},
}};

constexpr bool backends_in_order() {
  for (std::size_t i = 0; i < kBackendTraits.size(); ++i) {
    if (static_cast<std::size_t>(kBackendTraits[i].backend) != i) return false;
  }
  return true;
}
static_assert(backends_in_order(), "rows stand in the order of TENSORSCOPE_BACKENDS");

}  // namespace

const BackendTraits& traits_of(AttentionBackend backend) {
  return kBackendTraits[static_cast<std::size_t>(backend)];
}

}  // namespace ts::spec
