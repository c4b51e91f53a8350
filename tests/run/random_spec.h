#pragma once

#include <algorithm>
#include <random>

#include "core/run/workload_spec.h"

namespace ts::run {

// A spec whose every number is in its range; whether the numbers go together is left to chance.
template <class Random>
WorkloadSpec random_spec(Random& random) {
  const auto pick = [&](std::int64_t min, std::int64_t max) {
    return std::uniform_int_distribution<std::int64_t>(min, max)(random);
  };
  WorkloadSpec spec;
  spec.workload = static_cast<WorkloadKind>(pick(0, 3));
  spec.batch = pick(1, 1 << pick(0, 20));
  spec.seq_len = pick(1, 1 << pick(0, 20));
  spec.heads = pick(1, 64);
  spec.d_head = pick(1, 512);
  spec.d_model = std::min<std::int64_t>(spec.heads * pick(1, 1024), 65536);
  spec.layers = pick(1, 1024);
  spec.d_ff = pick(1, 1 << 20);
  spec.vocab = pick(2, 1 << 24);
  spec.dtype = static_cast<DataType>(pick(0, 1));
  spec.backend = static_cast<AttentionBackend>(pick(0, 3));
  spec.pass = static_cast<Pass>(pick(0, 2));
  spec.causal = pick(0, 1) != 0;
  spec.seed = random();
  spec.device = static_cast<DeviceKind>(pick(0, 1));
  spec.device_index = pick(0, 63);
  spec.target_gpu = pick(0, 1) != 0 ? "RTX 4090" : "卡 \"片\"\\";
  spec.memory_limit = pick(0, 1) != 0 ? 0 : pick(1 << 20, std::int64_t{1} << 50);
  return spec;
}

}  // namespace ts::run
