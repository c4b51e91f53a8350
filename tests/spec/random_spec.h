#pragma once

#include <algorithm>
#include <random>

#include "core/spec/spec_fields.h"
#include "core/spec/workload_spec.h"

namespace ts::spec {

// A spec whose every value is in its range; whether the values go together is left to chance, but
// for those that would hardly ever: kv_heads, T_kv, masks, warmup_steps and min_lr.
template <class Random>
WorkloadSpec random_spec(Random& random) {
  const auto pick = [&](std::int64_t min, std::int64_t max) {
    return std::uniform_int_distribution<std::int64_t>(min, max)(random);
  };
  WorkloadSpec spec;
  for (const FieldRow& row : field_rows()) {
    if (const auto* choice = std::get_if<ChoiceField>(&row.kind)) {
      choice->set(spec, static_cast<int>(pick(0, std::ssize(choice->names) - 1)));
    } else if (const auto* flag = std::get_if<FlagField>(&row.kind)) {
      spec.*flag->member = pick(0, 1) != 0;
    } else if (const auto* number = std::get_if<NumberField>(&row.kind)) {
      const std::int64_t most = std::min<std::int64_t>(number->range.max, 1 << pick(0, 20));
      spec.*number->member = pick(number->range.min, std::max(number->range.min, most));
    } else if (const auto* real = std::get_if<RealField>(&row.kind)) {
      spec.*real->member = std::uniform_real_distribution(real->min, real->max)(random);
    }
  }
  spec.heads = pick(1, 64);
  spec.kv_heads = pick(0, 2) == 0 ? spec.heads : pick(0, 1);
  spec.d_head = pick(1, 512);
  spec.d_model = std::min<std::int64_t>(spec.heads * pick(1, 1024), 65536);
  if (spec.causal) spec.seq_len_kv = 0;
  if (pick(0, 3) != 0) spec.window = spec.packed = spec.padding = 0;
  if (pick(0, 3) != 0) spec.attn_dropout = 0;
  spec.cycle_steps = std::max(spec.cycle_steps, spec.warmup_steps + 1);
  spec.min_learning_rate = std::min(spec.min_learning_rate, spec.learning_rate);
  spec.seed = random();
  spec.target_gpu = pick(0, 1) != 0 ? "RTX 4090" : "卡 \"片\"\\";
  spec.memory_limit = pick(0, 1) != 0 ? 0 : pick(1 << 20, std::int64_t{1} << 50);
  return spec;
}

}  // namespace ts::spec
