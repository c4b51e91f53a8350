#include "kernels/operators/weighted_sum.h"

#include <ATen/ops/empty.h>
#include <ATen/ops/empty_like.h>
#include <torch/csrc/autograd/custom_function.h>

#include "kernels/observe/custom_node.h"
#include "kernels/operators/call.h"
#include "kernels/operators/on_cuda.h"

namespace ts::kernels {
namespace {

using torch::autograd::AutogradContext;
using torch::autograd::variable_list;

// One weighted sum as the kernels see it, x [rows, width], y [rows].
struct WeightedSumCall {
  at::Tensor x, weight, y;
  at::Tensor d_y = {}, d_x = {};

  [[nodiscard]] own::WeightedSumRows rows(std::int64_t first, std::int64_t count) const {
    return {.element = element_of(x),
            .rows = count,
            .width = x.size(-1),
            .x = row_of(x, first),
            .weight = row_of(weight, 0),
            .y = row_of(y, first),
            .d_y = row_of(d_y, first),
            .d_x = row_of(d_x, first)};
  }
};

class OwnWeightedSum : public torch::autograd::Function<OwnWeightedSum> {
 public:
  static at::Tensor forward(AutogradContext* context, const at::Tensor& given,
                            const at::Tensor& weight, std::int64_t which) {
    const auto instructions = static_cast<own::Instructions>(which);
    const at::Tensor x = given.reshape({-1, given.size(-1)}).contiguous();
    const WeightedSumCall problem{.x = x,
                                  .weight = weight.to(sums_type(instructions)),
                                  .y = at::empty({x.size(0)}, x.options())};
    if (!x.is_meta()) {
      const RowBlocks blocks(x.size(0));
      share_among_threads(blocks.count, [&](std::int64_t i) {
        own::weighted_sum_kernel(instructions)
            .forward(problem.rows(blocks.first(i), blocks.size(i)));
      });
    }
    context->save_for_backward({x, weight});
    context->saved_data["which"] = which;
    return problem.y.view(given.sizes().slice(0, given.dim() - 1));
  }

  static variable_list backward(AutogradContext* context, const variable_list& gradients) {
    const variable_list saved = context->get_saved_variables();
    const at::Tensor &x = saved[0], &weight = saved[1], &d_y = gradients[0];
    const auto instructions = static_cast<own::Instructions>(context->saved_data["which"].toInt());
    const at::ScalarType sums = sums_type(instructions);
    const WeightedSumCall problem{.x = x,
                                  .weight = weight.to(sums),
                                  .y = {},
                                  .d_y = d_y.reshape({-1}).contiguous(),
                                  .d_x = at::empty_like(x)};
    const RowBlocks blocks(x.size(0));
    const BlockSums d_weight(blocks, weight, sums);
    if (!x.is_meta()) {
      share_among_threads(blocks.count, [&](std::int64_t i) {
        own::WeightedSumRows rows = problem.rows(blocks.first(i), blocks.size(i));
        rows.d_weight = d_weight.zeroed(i);
        own::weighted_sum_kernel(instructions).backward(rows);
      });
    }
    std::vector<std::int64_t> sizes = d_y.sizes().vec();
    sizes.push_back(x.size(1));
    return {problem.d_x.view(sizes), d_weight.total(), at::Tensor()};
  }
};

}  // namespace

at::Tensor own_weighted_sum(const at::Tensor& x, const at::Tensor& weight,
                            std::optional<own::Instructions> instructions) {
  note_custom_node();
  if (runs_on_cuda(x)) return weighted_sum_on_cuda(x, weight);
  const own::Instructions which = instructions.value_or(own::fastest(element_of(x)));
  return OwnWeightedSum::apply(x, weight, static_cast<std::int64_t>(which));
}

}  // namespace ts::kernels
