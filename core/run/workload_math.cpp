#include "core/run/workload_math.h"

namespace ts::run {

namespace {

std::int64_t block_parameters(const WorkloadSpec& spec) {
  const std::int64_t d = spec.d_model;
  return 4 * d * d + 3 * d * spec.d_ff + 2 * d;
}

struct Counted {
  double matmul = 0;     // forward FLOPs of plain matrix products
  double attention = 0;  // forward FLOPs of Q K^T and P V, all T x T pairs
};

Counted count_forward(const WorkloadSpec& spec) {
  const auto tokens = static_cast<double>(tokens_per_step(spec));
  const auto d = static_cast<double>(spec.d_model);
  const auto ff = static_cast<double>(spec.d_ff);
  const double attention = 4 * tokens * static_cast<double>(spec.heads) *
                           static_cast<double>(spec.seq_len) * static_cast<double>(head_size(spec));
  const double block = 2 * tokens * (4 * d * d + 3 * d * ff);
  const auto layers = static_cast<double>(spec.layers);
  switch (spec.workload) {
    case WorkloadKind::attention:
      return {0, attention};
    case WorkloadKind::mlp:
      return {2 * tokens * 2 * d * ff, 0};
    case WorkloadKind::block:
      return {block, attention};
    case WorkloadKind::lm:
      return {layers * block + 2 * tokens * static_cast<double>(spec.vocab) * d,
              layers * attention};
  }
  return {};
}

}  // namespace

std::int64_t head_size(const WorkloadSpec& spec) {
  return spec.workload == WorkloadKind::attention ? spec.d_head : spec.d_model / spec.heads;
}

std::int64_t parameter_count(const WorkloadSpec& spec) {
  switch (spec.workload) {
    case WorkloadKind::attention:
      return 0;
    case WorkloadKind::mlp:
      return 2 * spec.d_model * spec.d_ff + spec.d_ff + spec.d_model;
    case WorkloadKind::block:
      return block_parameters(spec);
    case WorkloadKind::lm:
      return 2 * spec.vocab * spec.d_model + spec.layers * block_parameters(spec) + spec.d_model;
  }
  return 0;
}

std::int64_t tokens_per_step(const WorkloadSpec& spec) {
  return spec.batch * spec.seq_len;
}

Flops step_flops(const WorkloadSpec& spec, AttentionBackend backend_ran) {
  Counted counted = count_forward(spec);
  const bool flash = backend_ran == AttentionBackend::flash;
  if (flash && spec.causal) {
    const auto length = static_cast<double>(spec.seq_len);
    counted.attention *= (length + 1) / (2 * length);
  }
  Flops flops;
  flops.forward = counted.matmul + counted.attention;
  if (spec.pass != Pass::forward) {
    flops.backward = 2 * counted.matmul + (flash ? 2.5 : 2.0) * counted.attention;
  }
  return flops;
}

AttentionBackend backend_for_formulas(std::string_view backend_ran) {
  if (backend_ran.empty()) return AttentionBackend::automatic;
  if (backend_ran == "naive") return AttentionBackend::naive;
  if (backend_ran == "math") return AttentionBackend::math;
  return AttentionBackend::flash;
}

}  // namespace ts::run
