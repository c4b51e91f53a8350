#include <ATen/ops/mul.h>

#include <array>

#include "kernels/observe/dtype_map.h"
#include "kernels/workloads/workload.h"

namespace ts::kernels {
namespace {

// The weighted sum of the exercises: (x * w).sum(-1) of x [B, T, d_model] with weights w [d_model].
class WeightedSum final : public Workload {
 public:
  WeightedSum(Builder& builder, const spec::WorkloadSpec& spec)
      : weight_(builder.truncated_normal("weight", std::array{spec.d_model}, 1)),
        x_(make_stream_input(builder, spec)) {}

  at::Tensor forward() override {
    at::Tensor sums = at::mul(x_, weight_).sum(-1);
    note_dtype("output", sums);
    return sums;
  }

 private:
  at::Tensor weight_;
  at::Tensor x_;
};

}  // namespace

std::unique_ptr<Workload> make_weighted_sum(Builder& builder, const spec::WorkloadSpec& spec) {
  return std::make_unique<WeightedSum>(builder, spec);
}

}  // namespace ts::kernels
