#include "kernels/operators/softmax.h"

#include <ATen/ops/empty_like.h>
#include <torch/csrc/autograd/custom_function.h>

#include "kernels/observe/custom_node.h"
#include "kernels/operators/call.h"
#include "kernels/operators/on_cuda.h"

namespace ts::kernels {
namespace {

using torch::autograd::AutogradContext;
using torch::autograd::variable_list;

// The rows of one block of tensors [..., width].
own::SoftmaxRows rows_of(const at::Tensor& like, const RowBlocks& blocks, std::int64_t block) {
  return {.element = element_of(like), .rows = blocks.size(block), .width = like.size(-1)};
}

// The numbers of a tensor [..., width] from a row on.
void* numbers_from(const at::Tensor& x, std::int64_t row) {
  return static_cast<char*>(x.data_ptr()) + row * x.size(-1) * x.element_size();
}

class OwnSoftmax : public torch::autograd::Function<OwnSoftmax> {
 public:
  static at::Tensor forward(AutogradContext* context, const at::Tensor& given, std::int64_t which) {
    const at::Tensor x = given.contiguous();
    at::Tensor y = at::empty_like(x);
    if (!x.is_meta()) {
      const RowBlocks blocks(x.numel() / x.size(-1));
      const auto& kernel = own::softmax_kernel(static_cast<own::Instructions>(which));
      share_among_threads(blocks.count, [&](std::int64_t i) {
        own::SoftmaxRows rows = rows_of(x, blocks, i);
        rows.x = numbers_from(x, blocks.first(i));
        rows.y = numbers_from(y, blocks.first(i));
        kernel.forward(rows);
      });
    }
    context->save_for_backward({y});
    context->saved_data["which"] = which;
    return y;
  }

  static variable_list backward(AutogradContext* context, const variable_list& gradients) {
    const at::Tensor y = context->get_saved_variables()[0];
    const at::Tensor d_y = gradients[0].contiguous();
    at::Tensor d_x = at::empty_like(y);
    if (!y.is_meta()) {
      const RowBlocks blocks(y.numel() / y.size(-1));
      const auto& kernel =
          own::softmax_kernel(static_cast<own::Instructions>(context->saved_data["which"].toInt()));
      share_among_threads(blocks.count, [&](std::int64_t i) {
        own::SoftmaxRows rows = rows_of(y, blocks, i);
        rows.y = numbers_from(y, blocks.first(i));
        rows.d_y = numbers_from(d_y, blocks.first(i));
        rows.d_x = numbers_from(d_x, blocks.first(i));
        kernel.backward(rows);
      });
    }
    return {d_x, at::Tensor()};
  }
};

}  // namespace

at::Tensor own_softmax(const at::Tensor& x, std::optional<own::Instructions> instructions) {
  note_custom_node();
  if (runs_on_cuda(x)) return softmax_on_cuda(x);
  const own::Instructions which = instructions.value_or(own::fastest(element_of(x)));
  return OwnSoftmax::apply(x, static_cast<std::int64_t>(which));
}

}  // namespace ts::kernels
