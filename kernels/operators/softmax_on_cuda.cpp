#include <ATen/ops/empty_like.h>
#include <torch/csrc/autograd/custom_function.h>

#include "kernels/operators/on_cuda.h"
#include "kernels/own_cuda/softmax.h"

namespace ts::kernels {
namespace {

using torch::autograd::AutogradContext;
using torch::autograd::variable_list;

std::int64_t count_rows(const at::Tensor& x) {
  return x.numel() / x.size(-1);
}

class SoftmaxOnCuda : public torch::autograd::Function<SoftmaxOnCuda> {
 public:
  static at::Tensor forward(AutogradContext* context, const at::Tensor& given) {
    const at::Tensor x = given.contiguous();
    at::Tensor y = at::empty_like(x);
    const own_cuda::Softmax<void> problem{.x = x.data_ptr(),
                                          .y = y.data_ptr(),
                                          .d_y = nullptr,
                                          .d_x = nullptr,
                                          .rows = static_cast<int>(count_rows(x)),
                                          .width = static_cast<int>(x.size(-1))};
    launch_rows("softmax_forward", report::RowLaunch::rows, x, {problem.rows, problem.width},
                &problem);
    context->save_for_backward({y});
    return y;
  }

  static variable_list backward(AutogradContext* context, const variable_list& gradients) {
    const at::Tensor y = context->get_saved_variables()[0];
    const at::Tensor d_y = gradients[0].contiguous();
    const at::Tensor d_x = at::empty_like(y);
    const own_cuda::Softmax<void> problem{.x = nullptr,
                                          .y = y.data_ptr(),
                                          .d_y = d_y.data_ptr(),
                                          .d_x = d_x.data_ptr(),
                                          .rows = static_cast<int>(count_rows(y)),
                                          .width = static_cast<int>(y.size(-1))};
    launch_rows("softmax_backward", report::RowLaunch::rows, y, {problem.rows, problem.width},
                &problem);
    return {d_x};
  }
};

}  // namespace

at::Tensor softmax_on_cuda(const at::Tensor& x) {
  return SoftmaxOnCuda::apply(x);
}

}  // namespace ts::kernels
