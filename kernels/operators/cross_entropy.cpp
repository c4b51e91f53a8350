#include "kernels/operators/cross_entropy.h"

#include <ATen/core/grad_mode.h>
#include <ATen/ops/addmm.h>
#include <ATen/ops/empty.h>
#include <ATen/ops/empty_like.h>
#include <ATen/ops/mean.h>
#include <ATen/ops/mm.h>
#include <ATen/ops/mul.h>
#include <torch/csrc/autograd/custom_function.h>

#include <algorithm>
#include <cmath>

#include "kernels/observe/custom_node.h"
#include "kernels/operators/call.h"
#include "kernels/operators/on_cuda.h"

namespace ts::kernels {
namespace {

using torch::autograd::AutogradContext;
using torch::autograd::variable_list;

// Losses of a chunk. Its logits become their gradients times `scale`, unless that is 0.
void run_rows(own::Instructions instructions, const at::Tensor& logits, const at::Tensor& targets,
              const at::Tensor& losses, double scale) {
  if (logits.is_meta()) return;
  const auto& kernel = own::cross_entropy_kernel(instructions);
  const RowBlocks blocks(logits.size(0));
  share_among_threads(blocks.count, [&](std::int64_t i) {
    const std::int64_t first = blocks.first(i);
    (scale == 0 ? kernel.forward : kernel.backward)(
        {.element = element_of(logits),
         .rows = blocks.size(i),
         .width = logits.size(1),
         .logits = row_of(logits, first),
         .targets = static_cast<const std::int64_t*>(row_of(targets, first)),
         .loss = static_cast<double*>(row_of(losses, first)),
         .scale = scale});
  });
}

class OwnCrossEntropy : public torch::autograd::Function<OwnCrossEntropy> {
 public:
  static at::Tensor forward(AutogradContext* context, const at::Tensor& x, const at::Tensor& weight,
                            const at::Tensor& targets, std::int64_t which, bool gradients,
                            bool of_weight) {
    const auto instructions = static_cast<own::Instructions>(which);
    const std::int64_t tokens = x.size(0);
    const std::int64_t chunks =
        cross_entropy_chunks(tokens, x.size(1), weight.size(0), x.scalar_type());
    const std::int64_t largest = (tokens + chunks - 1) / chunks;
    const at::Tensor losses = at::empty({tokens}, x.options().dtype(at::kDouble));
    // The mean divides by the tokens. The gradients of 16 bits keep the range that they have
    // before, and are not rounded again: here they are multiplied by the fraction of 1 / tokens, in
    // the backward by its power of two.
    int exponent = 0;
    double scale = 0;
    at::Tensor d_x, d_weight;
    if (gradients) {
      scale = std::frexp(1 / static_cast<double>(tokens), &exponent);
      d_x = at::empty_like(x);
      if (of_weight) d_weight = at::empty_like(weight);
    }
    at::Tensor logits = at::empty({largest, weight.size(0)}, x.options());
    for (std::int64_t first = 0; first < tokens; first += largest) {
      const std::int64_t count = std::min(largest, tokens - first);
      at::Tensor part = logits.narrow(0, 0, count);
      const at::Tensor x_part = x.narrow(0, first, count);
      at::mm_out(part, x_part, weight.t());
      run_rows(instructions, part, targets.narrow(0, first, count), losses.narrow(0, first, count),
               scale);
      if (!gradients) continue;
      at::Tensor d_x_part = d_x.narrow(0, first, count);
      at::mm_out(d_x_part, part, weight);
      if (!of_weight) continue;
      if (first == 0) {
        at::mm_out(d_weight, part.t(), x_part);
      } else {
        at::addmm_out(d_weight, d_weight, part.t(), x_part);
      }
    }
    logits.reset();
    context->save_for_backward({d_x, d_weight});
    context->saved_data["power"] = std::ldexp(1.0, exponent);
    return at::mean(losses).to(sums_type(instructions));
  }

  // In place: LibTorch refuses a second backward through changed tensors.
  static variable_list backward(AutogradContext* context, const variable_list& gradients) {
    const variable_list saved = context->get_saved_variables();
    const at::Tensor factor = at::mul(gradients[0], context->saved_data["power"].toDouble());
    for (const at::Tensor& gradient : saved) {
      if (gradient.defined()) gradient.mul_(factor);
    }
    return {saved[0], saved[1], at::Tensor(), at::Tensor(), at::Tensor(), at::Tensor()};
  }
};

}  // namespace

at::Tensor own_cross_entropy(const at::Tensor& x, const at::Tensor& weight,
                             const at::Tensor& targets,
                             std::optional<own::Instructions> instructions) {
  note_custom_node();
  if (runs_on_cuda(x)) return cross_entropy_on_cuda(x, weight, targets);
  const own::Instructions which = instructions.value_or(own::fastest(element_of(x)));
  const bool gradients =
      at::GradMode::is_enabled() && (x.requires_grad() || weight.requires_grad());
  return OwnCrossEntropy::apply(x.contiguous(), weight.contiguous(), targets.contiguous(),
                                static_cast<std::int64_t>(which), gradients,
                                weight.requires_grad());
}

std::int64_t cross_entropy_chunks(std::int64_t tokens, std::int64_t width, std::int64_t classes,
                                  at::ScalarType type) {
  constexpr std::int64_t kFewestTokens = 256, kMostRoundings = 2;
  const std::int64_t by_size = (classes + width - 1) / width;
  const std::int64_t most = std::max<std::int64_t>(tokens / kFewestTokens, 1);
  const bool rounds = type == at::kBFloat16 || type == at::kHalf;
  return std::min({by_size, most, rounds ? kMostRoundings : most});
}

}  // namespace ts::kernels
