#include "kernels/layers/norm.h"

#include "kernels/workloads/workload.h"

namespace ts::kernels {
namespace {

// One norm of an input x [B, T, d_model].
class NormAlone final : public Workload {
 public:
  NormAlone(Builder& builder, const spec::WorkloadSpec& spec)
      : norm_(builder, "norm", spec.norm, spec.d_model, Bias::none, spec.kernels),
        x_(make_stream_input(builder, spec)) {}

  at::Tensor forward() override { return norm_.forward(x_); }

 private:
  Norm norm_;
  at::Tensor x_;
};

}  // namespace

std::unique_ptr<Workload> make_norm(Builder& builder, const spec::WorkloadSpec& spec) {
  return std::make_unique<NormAlone>(builder, spec);
}

}  // namespace ts::kernels
