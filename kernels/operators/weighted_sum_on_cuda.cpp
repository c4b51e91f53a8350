#include <ATen/ops/empty.h>
#include <ATen/ops/empty_like.h>
#include <torch/csrc/autograd/custom_function.h>

#include "kernels/operators/on_cuda.h"
#include "kernels/own_cuda/weighted_sums.h"

namespace ts::kernels {
namespace {

using torch::autograd::AutogradContext;
using torch::autograd::variable_list;

class WeightedSumOnCuda : public torch::autograd::Function<WeightedSumOnCuda> {
 public:
  static at::Tensor forward(AutogradContext* context, const at::Tensor& given,
                            const at::Tensor& weight) {
    const at::Tensor x = given.reshape({-1, given.size(-1)}).contiguous();
    at::Tensor y = at::empty({x.size(0)}, x.options());
    const auto problem = problem_of(x, weight, y.data_ptr());
    launch_rows("weighted_sum_forward", report::RowLaunch::rows, x, {x.size(0), x.size(1)},
                &problem);
    context->save_for_backward({x, weight});
    return y.view(given.sizes().slice(0, given.dim() - 1));
  }

  static variable_list backward(AutogradContext* context, const variable_list& gradients) {
    const variable_list saved = context->get_saved_variables();
    const at::Tensor &x = saved[0], &weight = saved[1];
    const at::Tensor d_y = gradients[0].reshape({-1}).contiguous();
    const at::Tensor d_x = at::empty_like(x), d_w = at::empty_like(weight);
    const report::RowsOfBlocks blocks(x.size(0));
    const at::Tensor partial = at::empty({blocks.count, x.size(1)}, x.options().dtype(at::kFloat));
    auto problem = problem_of(x, weight, nullptr);
    problem.d_y = d_y.data_ptr();
    problem.d_x = d_x.data_ptr();
    problem.d_w = d_w.data_ptr();
    problem.partial = floats_of(partial);
    problem.rows_of_block = static_cast<int>(blocks.size);
    launch_rows("weighted_sum_backward", report::RowLaunch::columns, x,
                {x.size(0), x.size(1), blocks.count}, &problem);
    launch_rows("weighted_sum_add", report::RowLaunch::sums, x, {x.size(0), x.size(1)}, &problem);
    std::vector<std::int64_t> sizes = gradients[0].sizes().vec();
    sizes.push_back(x.size(1));
    return {d_x.view(sizes), d_w};
  }

 private:
  static own_cuda::WeightedSum<void> problem_of(const at::Tensor& x, const at::Tensor& weight,
                                                void* y) {
    own_cuda::WeightedSum<void> problem{};
    problem.x = x.data_ptr();
    problem.w = weight.data_ptr();
    problem.y = y;
    problem.rows = static_cast<int>(x.size(0));
    problem.width = static_cast<int>(x.size(1));
    return problem;
  }
};

}  // namespace

at::Tensor weighted_sum_on_cuda(const at::Tensor& x, const at::Tensor& weight) {
  return WeightedSumOnCuda::apply(x, weight.to(x.scalar_type()).contiguous());
}

}  // namespace ts::kernels
