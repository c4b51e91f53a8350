#include <ATen/ops/mean.h>
#include <ATen/ops/mul.h>

#include <algorithm>
#include <array>

#include "core/spec/workload_math.h"
#include "kernels/workloads/workload.h"

namespace ts::kernels {

const WorkloadEntry* find_workload(spec::WorkloadKind kind) {
  static const std::array table = {
      WorkloadEntry{spec::WorkloadKind::attention, "attention", make_attention},
      WorkloadEntry{spec::WorkloadKind::mlp, "mlp", make_mlp},
      WorkloadEntry{spec::WorkloadKind::block, "block", make_block},
      WorkloadEntry{spec::WorkloadKind::lm, "lm", make_language_model},
      WorkloadEntry{spec::WorkloadKind::weighted_sum, "weighted_sum", make_weighted_sum},
      WorkloadEntry{spec::WorkloadKind::toy, "toy", make_toy},
      WorkloadEntry{spec::WorkloadKind::accumulation, "accumulation", make_accumulation},
      WorkloadEntry{spec::WorkloadKind::layernorm, "layernorm", make_layernorm},
  };
  const auto found = std::find_if(table.begin(), table.end(), [kind](const WorkloadEntry& entry) {
    return entry.kind == kind;
  });
  return found == table.end() ? nullptr : &*found;
}

at::Tensor make_stream_input(Builder& builder, const spec::WorkloadSpec& spec) {
  return builder.normal_input(std::array{spec.batch, spec.seq_len, spec.d_model},
                              spec::keeps_graph(spec));
}

at::Tensor Workload::loss(at::Tensor output) {
  output = at::mul(output, output);
  return at::mean(output);
}

}  // namespace ts::kernels
