#include "kernels/operators/norm.h"

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

// One norm as the kernels see it, [rows, width]. What is not there is undefined.
struct NormCall {
  bool centred;
  double epsilon;
  at::Tensor x, weight, bias, y, mean, scale;
  at::Tensor d_y = {}, d_x = {};

  [[nodiscard]] own::NormRows rows(std::int64_t first, std::int64_t count) const {
    return {.element = element_of(x),
            .centred = centred,
            .rows = count,
            .width = x.size(-1),
            .epsilon = epsilon,
            .x = row_of(x, first),
            .weight = row_of(weight, 0),
            .bias = row_of(bias, 0),
            .y = row_of(y, first),
            .mean = row_of(mean, first),
            .scale = row_of(scale, first),
            .d_y = row_of(d_y, first),
            .d_x = row_of(d_x, first)};
  }
};

class OwnNorm : public torch::autograd::Function<OwnNorm> {
 public:
  static at::Tensor forward(AutogradContext* context, const at::Tensor& given,
                            const at::Tensor& weight, const std::optional<at::Tensor>& bias,
                            bool centred, double epsilon, std::int64_t which) {
    const auto instructions = static_cast<own::Instructions>(which);
    const at::ScalarType sums = sums_type(instructions);
    const at::Tensor x = given.reshape({-1, given.size(-1)}).contiguous();
    const auto each_row = x.options().dtype(sums);
    const NormCall problem{.centred = centred,
                           .epsilon = epsilon,
                           .x = x,
                           .weight = weight.to(sums),
                           .bias = bias ? bias->to(sums) : at::Tensor(),
                           .y = at::empty_like(x),
                           .mean = centred ? at::empty({x.size(0)}, each_row) : at::Tensor(),
                           .scale = at::empty({x.size(0)}, each_row)};
    if (!x.is_meta()) {
      const RowBlocks blocks(x.size(0));
      share_among_threads(blocks.count, [&](std::int64_t i) {
        own::norm_kernel(instructions).forward(problem.rows(blocks.first(i), blocks.size(i)));
      });
    }
    context->save_for_backward(
        {x, weight, bias.value_or(at::Tensor()), problem.mean, problem.scale});
    context->saved_data["centred"] = centred;
    context->saved_data["which"] = which;
    return problem.y.view(given.sizes());
  }

  static variable_list backward(AutogradContext* context, const variable_list& gradients) {
    const variable_list saved = context->get_saved_variables();
    const at::Tensor &x = saved[0], &weight = saved[1], &bias = saved[2];
    const auto instructions = static_cast<own::Instructions>(context->saved_data["which"].toInt());
    const at::ScalarType sums = sums_type(instructions);
    const NormCall problem{.centred = context->saved_data["centred"].toBool(),
                           .epsilon = 0,
                           .x = x,
                           .weight = weight.to(sums),
                           .bias = {},
                           .y = {},
                           .mean = saved[3],
                           .scale = saved[4],
                           .d_y = gradients[0].reshape(x.sizes()).contiguous(),
                           .d_x = at::empty_like(x)};
    const RowBlocks blocks(x.size(0));
    // Frozen parameters have no gradient.
    std::optional<BlockSums> d_weight, d_bias;
    if (context->needs_input_grad(1)) d_weight.emplace(blocks, weight, sums);
    if (bias.defined() && context->needs_input_grad(2)) d_bias.emplace(blocks, bias, sums);
    if (!x.is_meta()) {
      share_among_threads(blocks.count, [&](std::int64_t i) {
        own::NormRows rows = problem.rows(blocks.first(i), blocks.size(i));
        if (d_weight) rows.d_weight = d_weight->zeroed(i);
        if (d_bias) rows.d_bias = d_bias->zeroed(i);
        own::norm_kernel(instructions).backward(rows);
      });
    }
    return {problem.d_x.view(gradients[0].sizes()),
            d_weight ? d_weight->total() : at::Tensor(),
            d_bias ? d_bias->total() : at::Tensor(),
            at::Tensor(),
            at::Tensor(),
            at::Tensor()};
  }
};

}  // namespace

at::Tensor own_norm(bool centred, const at::Tensor& x, const at::Tensor& weight,
                    const at::Tensor& bias, double epsilon,
                    std::optional<own::Instructions> instructions) {
  note_custom_node();
  if (runs_on_cuda(x)) return norm_on_cuda(centred, x, weight, bias, epsilon);
  const own::Instructions which = instructions.value_or(own::fastest(element_of(x)));
  return OwnNorm::apply(x, weight, bias.defined() ? std::optional(bias) : std::nullopt, centred,
                        epsilon, static_cast<std::int64_t>(which));
}

}  // namespace ts::kernels
