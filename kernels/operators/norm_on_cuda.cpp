#include <ATen/ops/empty.h>
#include <ATen/ops/empty_like.h>
#include <torch/csrc/autograd/custom_function.h>

#include <optional>

#include "kernels/operators/on_cuda.h"
#include "kernels/own_cuda/norms.h"

namespace ts::kernels {
namespace {

using torch::autograd::AutogradContext;
using torch::autograd::variable_list;

own_cuda::Norm<void> norm_problem(const at::Tensor& x, const at::Tensor& weight,
                                  const at::Tensor& mean, const at::Tensor& scale) {
  own_cuda::Norm<void> problem{};
  problem.x = x.data_ptr();
  problem.w = weight.data_ptr();
  problem.mean = floats_of(mean);
  problem.scale = floats_of(scale);
  problem.rows = static_cast<int>(x.size(0));
  problem.width = static_cast<int>(x.size(1));
  problem.centred = mean.defined() ? 1 : 0;
  return problem;
}

class NormOnCuda : public torch::autograd::Function<NormOnCuda> {
 public:
  static at::Tensor forward(AutogradContext* context, const at::Tensor& given,
                            const at::Tensor& weight, const std::optional<at::Tensor>& bias,
                            bool centred, double epsilon) {
    const at::Tensor x = given.reshape({-1, given.size(-1)}).contiguous();
    const auto each_row = x.options().dtype(at::kFloat);
    const at::Tensor y = at::empty_like(x);
    const at::Tensor mean = centred ? at::empty({x.size(0)}, each_row) : at::Tensor();
    const at::Tensor scale = at::empty({x.size(0)}, each_row);
    auto problem = norm_problem(x, weight, mean, scale);
    problem.b = data_of(bias.value_or(at::Tensor()));
    problem.y = y.data_ptr();
    problem.epsilon = static_cast<float>(epsilon);
    launch_rows("norm_forward", report::RowLaunch::rows, x, {x.size(0), x.size(1)}, &problem);
    context->save_for_backward({x, weight, bias.value_or(at::Tensor()), mean, scale});
    return y.view(given.sizes());
  }

  static variable_list backward(AutogradContext* context, const variable_list& gradients) {
    const variable_list saved = context->get_saved_variables();
    const at::Tensor &x = saved[0], &weight = saved[1], &bias = saved[2];
    const at::Tensor d_y = gradients[0].reshape(x.sizes()).contiguous();
    const at::Tensor d_x = at::empty_like(x);
    auto problem = norm_problem(x, weight, saved[3], saved[4]);
    problem.d_y = d_y.data_ptr();
    problem.d_x = d_x.data_ptr();
    launch_rows("norm_backward", report::RowLaunch::rows, x, {x.size(0), x.size(1)}, &problem);
    // Frozen parameters have no gradient.
    at::Tensor d_w, d_b;
    const bool of_bias = bias.defined() && context->needs_input_grad(2);
    if (context->needs_input_grad(1) || of_bias) {
      const report::RowsOfBlocks blocks(x.size(0));
      const auto sums = x.options().dtype(at::kFloat);
      d_w = at::empty_like(weight);
      if (of_bias) d_b = at::empty_like(bias);
      const at::Tensor partial = at::empty({of_bias ? 2 : 1, blocks.count, x.size(1)}, sums);
      problem.rows_of_block = static_cast<int>(blocks.size);
      problem.d_w = d_w.data_ptr();
      problem.d_b = data_of(d_b);
      problem.partial_w = floats_of(partial);
      if (of_bias) problem.partial_b = problem.partial_w + blocks.count * x.size(1);
      launch_rows("norm_backward_weights", report::RowLaunch::columns, x,
                  {x.size(0), x.size(1), blocks.count}, &problem);
      launch_rows("norm_add", report::RowLaunch::sums, x, {x.size(0), x.size(1)}, &problem);
    }
    return {d_x.view(gradients[0].sizes()), d_w, d_b, at::Tensor(), at::Tensor()};
  }
};

}  // namespace

at::Tensor norm_on_cuda(bool centred, const at::Tensor& x, const at::Tensor& weight,
                        const at::Tensor& bias, double epsilon) {
  const auto as_x = [&](const at::Tensor& one) {
    return one.defined() ? std::optional(one.to(x.scalar_type()).contiguous()) : std::nullopt;
  };
  return NormOnCuda::apply(x, *as_x(weight), as_x(bias), centred, epsilon);
}

}  // namespace ts::kernels
