#include "kernels/compiled/step_values.h"

#include <ATen/core/grad_mode.h>
#include <ATen/ops/div.h>
#include <ATen/ops/mul.h>

#include <utility>

#include "kernels/device/precision.h"

namespace ts::kernels {

StepValues values_of(Workload& workload, const Builder& builder, const spec::WorkloadSpec& spec,
                     double scale) {
  const bool trains = spec::has_backward(spec.pass);
  const at::AutoGradMode grad_mode(trains);
  workload.select_micro_batch(0);
  StepValues values;
  at::Tensor result;
  {
    const AutocastScope autocast(AutocastState::of(spec, builder.options().device().type()));
    result = workload.forward();
    values.output = result.detach();
    if (trains) result = workload.loss(std::move(result));
  }
  if (!trains) return values;
  values.loss = result.detach();
  (scale == 1 ? result : at::mul(result, scale)).backward();
  const auto take = [&](const std::string& name, const at::Tensor& tensor) {
    if (!tensor.grad().defined()) return;
    values.gradients.push_back({name, scale == 1 ? tensor.grad() : at::div(tensor.grad(), scale)});
    tensor.mutable_grad().reset();
  };
  for (const Parameter& parameter : builder.parameters()) take(parameter.name, parameter.tensor);
  for (const at::Tensor& input : builder.inputs()) take("input", input);
  return values;
}

}  // namespace ts::kernels
