#include <ATen/ops/mean.h>
#include <ATen/ops/mul.h>

#include <array>

#include "core/spec/workload_math.h"
#include "core/spec/workload_traits.h"
#include "kernels/workloads/workload.h"

namespace ts::kernels {

std::unique_ptr<Workload> make_workload(Builder& builder, const spec::WorkloadSpec& spec) {
#define TENSORSCOPE_MAKER(name) make_##name,
  static constexpr std::array kMakers = {TENSORSCOPE_WORKLOADS(TENSORSCOPE_MAKER)};
#undef TENSORSCOPE_MAKER
  if (spec::trains_adapters(spec) || spec::frozen_layers(spec) > 0) builder.freeze();
  return kMakers.at(static_cast<std::size_t>(spec.workload))(builder, spec);
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
