#include "core/spec/backend_traits.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <string>

#include "core/spec/masking.h"
#include "core/spec/own_model.h"
#include "core/spec/spec_fields.h"
#include "core/spec/workload_math.h"
#include "core/spec/workload_traits.h"
#include "core/text/message.h"
#include "core/text/numbers.h"
#include "core/text/typed_numbers.h"

namespace ts::spec {

namespace {

using A = AttentionBackend;

// The limits are those of LibTorch's sdp_utils.cpp. The kernel that `automatic` chooses is not
// known, so its formulas are those of math.
constexpr std::array<BackendTraits, kBackendCount> kBackendTraits = {{
    {.backend = A::naive, .of_sdpa = false},
    {.backend = A::math},
    {.backend = A::flash,
     .only_16_bits = true,
     .largest_head = 256,
     .stores_scores = false,
     .recomputes_scores = true,
     .masked = MaskedPairs::skipped,
     .masks_on_cuda = false,
     .one_width = true,
     .drops_on_cpu = false},
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
     .masked = MaskedPairs::skipped,
     .one_width = true},
    {.backend = A::tiled,
     .of_sdpa = false,
     .stores_scores = false,
     .recomputes_scores = true,
     .masked = MaskedPairs::skipped_tiles,
     .one_width = true,
     .drops_on_cpu = false,
     .drops_on_cuda = false},
    {.backend = A::own,
     .of_sdpa = false,
     .largest_head = 256,
     .stores_scores = false,
     .recomputes_scores = true,
     .masked = MaskedPairs::skipped,
     .masks_on_cpu = false,
     .masks_on_cuda = false,
     .one_width = true,
     .drops_on_cpu = false,
     .drops_on_cuda = false},
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

namespace {

constexpr int kFirstWithFlash = 80;  // compute capability, major * 10 + minor
constexpr std::int64_t kPacked = 8;  // numbers; other head sizes are padded to a multiple
constexpr std::int64_t kShortForFlash = 512;
// Cards with little shared memory have no backward for head sizes above 192 up to 224.
constexpr std::array kNarrow = {86, 89, 120, 121};

FlashCondition type_condition(const WorkloadSpec& spec) {
  const DataType type = compute_type(spec);
  return {text::message("flash.dtype", {{"value", to_string(type)}}),
          type == DataType::fp16 || type == DataType::bf16};
}

FlashCondition alignment_condition(std::int64_t head) {
  const std::int64_t padded = (head + kPacked - 1) / kPacked * kPacked;
  const bool even = padded == head;
  return {text::message(even ? "flash.aligned" : "flash.padded",
                        {{"value", std::to_string(head)}, {"padded", std::to_string(padded)}}),
          true};
}

}  // namespace

std::vector<FlashCondition> flash_conditions(const WorkloadSpec& spec, const Gpu& card) {
  if (!field_applies(spec, Field::backend) || comes_from_file(spec)) return {};
  const auto number = text::parse_real(card.compute_capability);
  if (!number) return {};
  const int capability = static_cast<int>(std::lround(*number * 10));
  const std::int64_t head = head_size(spec);
  const std::int64_t most = traits_of(AttentionBackend::flash).largest_head;
  std::vector<FlashCondition> all;
  all.push_back({text::message("flash.device", {{"value", card.compute_capability}}),
                 capability >= kFirstWithFlash});
  all.push_back(type_condition(spec));
  all.push_back({text::message("flash.head",
                               {{"value", std::to_string(head)}, {"most", std::to_string(most)}}),
                 head <= most});
  all.push_back(alignment_condition(head));
  if (const std::int64_t value = value_size(spec); latent(spec).any()) {
    all.push_back({text::message("flash.widths", {{"keys", std::to_string(head)},
                                                  {"values", std::to_string(value)}}),
                   value == head});
  }
  const bool masks = masking(spec).any();
  const bool causal = spec.causal && field_applies(spec, Field::causal);
  const bool square = !causal || kv_length(spec) == sequence_length(spec);
  all.push_back({text::message(masks    ? "flash.tensor_mask"
                               : causal ? "flash.causal"
                                        : "flash.no_mask"),
                 square && !masks});
  all.push_back({text::message("flash.length", {{"value", text::grouped(sequence_length(spec))},
                                                {"above", text::grouped(kShortForFlash)}}),
                 true});
  const bool narrow = std::ranges::find(kNarrow, capability) != kNarrow.end();
  if (narrow && keeps_graph(spec)) {
    all.push_back({text::message("flash.backward", {{"value", std::to_string(head)},
                                                    {"capability", card.compute_capability}}),
                   head <= 192 || head > 224});
  }
  return all;
}

}  // namespace ts::spec
