#include <ATen/ops/mul.h>

#include <array>

#include "kernels/observe/dtype_map.h"
#include "kernels/operators/weighted_sum.h"
#include "kernels/workloads/workload.h"

namespace ts::kernels {
namespace {

// The weighted sum of the exercises: (x * w).sum(-1) of x [B, T, d_model] with weights w [d_model].
class WeightedSum final : public Workload {
 public:
  WeightedSum(Builder& builder, const spec::WorkloadSpec& spec)
      : kernels_(spec.kernels),
        weight_(builder.truncated_normal("weight", std::array{spec.d_model}, 1)),
        x_(make_stream_input(builder, spec)) {}

  at::Tensor forward() override {
    at::Tensor sums = kernels_ == spec::Kernels::own ? own_weighted_sum(x_, weight_)
                                                     : at::mul(x_, weight_).sum(-1);
    note_dtype("output", sums);
    return sums;
  }

 private:
  spec::Kernels kernels_;
  at::Tensor weight_;
  at::Tensor x_;
};

}  // namespace

std::unique_ptr<Workload> make_weighted_sum(Builder& builder, const spec::WorkloadSpec& spec) {
  return std::make_unique<WeightedSum>(builder, spec);
}

}  // namespace ts::kernels
