#include <ATen/ops/softmax.h>

#include "kernels/observe/dtype_map.h"
#include "kernels/operators/softmax.h"
#include "kernels/workloads/workload.h"

namespace ts::kernels {
namespace {

// The softmax over the last dimension of an input x [B, T, d_model].
class SoftmaxAlone final : public Workload {
 public:
  SoftmaxAlone(Builder& builder, const spec::WorkloadSpec& spec)
      : kernels_(spec.kernels), x_(make_stream_input(builder, spec)) {}

  at::Tensor forward() override {
    at::Tensor y = kernels_ == spec::Kernels::own ? own_softmax(x_) : at::softmax(x_, -1);
    note_dtype("output", y);
    return y;
  }

 private:
  spec::Kernels kernels_;
  at::Tensor x_;
};

}  // namespace

std::unique_ptr<Workload> make_softmax(Builder& builder, const spec::WorkloadSpec& spec) {
  return std::make_unique<SoftmaxAlone>(builder, spec);
}

}  // namespace ts::kernels
