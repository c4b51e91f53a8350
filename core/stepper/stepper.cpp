#include "core/stepper/stepper.h"

#include <algorithm>
#include <string>

#include "core/text/joined.h"
#include "core/text/message.h"

namespace ts::stepper {
namespace {

template <class Kind>
Walk walk_of(const calculate::Chosen& chosen) {
  return Kind(chosen);
}

std::vector<Stepper> made() {
  using enum Digits;
  return {
      {.id = "tiles",
       .source = "FlashAttention-2 (Dao 2023), algorithm 1",
       .inputs = {{.name = "T", .start = 128, .least = 1, .most = 1024},
                  {.name = "d_head", .start = 64, .least = 1, .most = 256},
                  {.name = "block_q", .start = 32, .least = 8, .most = 256},
                  {.name = "block_k", .start = 32, .least = 8, .most = 256},
                  {.name = "causal", .start = 1, .least = 0, .most = 1},
                  {.name = "element_bytes", .start = 2, .least = 1, .most = 4},
                  {.name = "stages", .start = 1, .least = 1, .most = 4},
                  {.name = "drop_tail", .start = 0, .least = 0, .most = 1},
                  {.name = "seed", .start = 1, .least = 1, .most = 1'000'000}},
       .columns = {{"query_tile", whole},
                   {"key_tile", whole},
                   {"row", whole},
                   {"m"},
                   {"l"},
                   {"factor"},
                   {"acc0"},
                   {"read", bytes},
                   {"written", bytes},
                   {"error", small}},
       .begin = walk_of<TiledAttention>},
      {.id = "softmax",
       .source = "Milakov and Gimelshein 2018; FlashAttention (Dao et al. 2022)",
       .inputs = {{.name = "keys", .start = 16, .least = 2, .most = 256},
                  {.name = "block_k", .start = 4, .least = 1, .most = 256},
                  {.name = "order", .start = 0, .least = 0, .most = 1'000'000},
                  {.name = "causal", .start = 0, .least = 0, .most = 1},
                  {.name = "query", .start = 9, .least = 0, .most = 255},
                  {.name = "drop_tail", .start = 0, .least = 0, .most = 1},
                  {.name = "seed", .start = 1, .least = 1, .most = 1'000'000}},
       .columns = {{"first_key", whole},
                   {"keys", whole},
                   {"m"},
                   {"l"},
                   {"factor"},
                   {"acc0"},
                   {"acc1"},
                   {"acc2"},
                   {"acc3"},
                   {"error_seen", small},
                   {"error_all", small}},
       .begin = walk_of<OnlineSoftmax>},
      {.id = "sums",
       .source = "IEEE 754, round to nearest, ties to even",
       .inputs =
           {{.name = "additions", .start = 1000, .least = 1, .most = 4000},
            {.name = "thousandths", .unit = "1/1000", .start = 10, .least = 1, .most = 10'000}},
       .columns = {{"exact"},
                   {"fp32"},
                   {"fp32_lost", small},
                   {"fp16"},
                   {"fp16_lost", small},
                   {"bf16"},
                   {"bf16_lost", small},
                   {"fp32_fp16"},
                   {"fp32_fp16_lost", small}},
       .begin = walk_of<LowPrecisionSum>},
      {.id = "adamw",
       .source = "AdamW (Loshchilov and Hutter 2019), algorithm 2; torch.optim.AdamW",
       .inputs = {{.name = "steps", .start = 30, .least = 1, .most = 1000},
                  {.name = "lr_millionths", .start = 100'000, .least = 1, .most = 1'000'000},
                  {.name = "beta1_thousandths", .start = 900, .least = 0, .most = 999},
                  {.name = "beta2_thousandths", .start = 999, .least = 0, .most = 999},
                  {.name = "decay_thousandths", .start = 10, .least = 0, .most = 1000},
                  {.name = "noise_percent", .start = 0, .least = 0, .most = 1000},
                  {.name = "seed", .start = 1, .least = 1, .most = 1'000'000}},
       .columns = {{"g"}, {"m"}, {"v"}, {"m_hat"}, {"v_hat"}, {"decay"}, {"update"}, {"p"}},
       .begin = walk_of<AdamW>},
      {.id = "checkpoints",
       .source = "Chen et al. 2016, section 4",
       .inputs = {{.name = "layers", .start = 12, .least = 1, .most = 64},
                  {.name = "segment", .start = 4, .least = 1, .most = 64}},
       .columns = {{"layer", whole}, {"kept", whole}, {"recomputed", whole}, {"live", whole}},
       .begin = walk_of<Checkpoints>},
      {.id = "reserved",
       .source = "PyTorch 2.11, CUDACachingAllocator; pytorch/pytorch#193400",
       .inputs = {{.name = "cycles", .start = 101, .least = 1, .most = 400},
                  {.name = "base_mib", .unit = "MiB", .start = 64, .least = 0, .most = 1024},
                  {.name = "large_mib", .unit = "MiB", .start = 91, .least = 1, .most = 1024},
                  {.name = "kept_mib", .unit = "MiB", .start = 2, .least = 0, .most = 64},
                  {.name = "expandable", .start = 1, .least = 0, .most = 1},
                  {.name = "max_split_mib", .unit = "MiB", .start = 128, .least = 0, .most = 4096},
                  {.name = "empty_every", .start = 0, .least = 0, .most = 400}},
       .columns = {{"requested", bytes},
                   {"reserved", bytes},
                   {"grown", bytes},
                   {"rounding", bytes},
                   {"too_small", bytes},
                   {"barred", bytes},
                   {"usable", bytes},
                   {"elsewhere", bytes},
                   {"cached", bytes}},
       .begin = walk_of<CachedCycles>},
  };
}

}  // namespace

std::span<const Stepper> steppers() {
  static const std::vector<Stepper> all = made();
  return all;
}

base::Result<const Stepper*> stepper_from(std::string_view id) {
  const auto all = steppers();
  const auto found = std::ranges::find(all, id, &Stepper::id);
  if (found != all.end()) return &*found;
  return text::fail("stepper_error.no_stepper",
                    {{"id", std::string(id)}, {"known", text::joined(all, ", ", &Stepper::id)}});
}

std::size_t steps_of(const Walk& walk) {
  return std::visit([](const auto& one) { return one.steps(); }, walk);
}

std::vector<double> row_of(Walk& walk, std::size_t step) {
  return std::visit([step](auto& one) { return one.row(step); }, walk);
}

base::Message said_at(Walk& walk, std::size_t step) {
  return std::visit([step](auto& one) { return one.said(step); }, walk);
}

std::vector<calculate::Figure> figures_of(Walk& walk) {
  return std::visit([](auto& one) { return one.figures(); }, walk);
}

}  // namespace ts::stepper
