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
       .inputs = {{"T", "", 128, 1, 1024},
                  {"d_head", "", 64, 1, 256},
                  {"block_q", "", 32, 8, 256},
                  {"block_k", "", 32, 8, 256},
                  {"causal", "", 1, 0, 1},
                  {"element_bytes", "", 2, 1, 4},
                  {"stages", "", 1, 1, 4},
                  {"drop_tail", "", 0, 0, 1},
                  {"seed", "", 1, 1, 1'000'000}},
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
       .inputs = {{"keys", "", 16, 2, 256},
                  {"block_k", "", 4, 1, 256},
                  {"order", "", 0, 0, 1'000'000},
                  {"causal", "", 0, 0, 1},
                  {"query", "", 9, 0, 255},
                  {"drop_tail", "", 0, 0, 1},
                  {"seed", "", 1, 1, 1'000'000}},
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
       .inputs = {{"additions", "", 1000, 1, 4000}, {"thousandths", "1/1000", 10, 1, 10'000}},
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
       .inputs = {{"steps", "", 30, 1, 1000},
                  {"lr_millionths", "", 100'000, 1, 1'000'000},
                  {"beta1_thousandths", "", 900, 0, 999},
                  {"beta2_thousandths", "", 999, 0, 999},
                  {"decay_thousandths", "", 10, 0, 1000},
                  {"noise_percent", "", 0, 0, 1000},
                  {"seed", "", 1, 1, 1'000'000}},
       .columns = {{"g"}, {"m"}, {"v"}, {"m_hat"}, {"v_hat"}, {"decay"}, {"update"}, {"p"}},
       .begin = walk_of<AdamW>},
      {.id = "checkpoints",
       .source = "Chen et al. 2016, section 4",
       .inputs = {{"layers", "", 12, 1, 64}, {"segment", "", 4, 1, 64}},
       .columns = {{"layer", whole}, {"kept", whole}, {"recomputed", whole}, {"live", whole}},
       .begin = walk_of<Checkpoints>},
      {.id = "reserved",
       .source = "PyTorch 2.11, CUDACachingAllocator; pytorch/pytorch#193400",
       .inputs = {{"cycles", "", 101, 1, 400},
                  {"base_mib", "MiB", 64, 0, 1024},
                  {"large_mib", "MiB", 91, 1, 1024},
                  {"kept_mib", "MiB", 2, 0, 64},
                  {"expandable", "", 1, 0, 1},
                  {"max_split_mib", "MiB", 128, 0, 4096},
                  {"empty_every", "", 0, 0, 400}},
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
