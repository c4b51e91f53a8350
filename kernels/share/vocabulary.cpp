#include "kernels/share/vocabulary.h"

#include <ATen/ops/amax.h>
#include <ATen/ops/gather.h>
#include <ATen/ops/ge.h>
#include <ATen/ops/log.h>
#include <ATen/ops/mean.h>
#include <ATen/ops/sub.h>
#include <ATen/ops/sum.h>
#include <ATen/ops/zeros_like.h>
#include <torch/csrc/autograd/custom_function.h>

#include "kernels/observe/custom_node.h"

namespace ts::kernels {
namespace {

using torch::autograd::AutogradContext;
using torch::autograd::variable_list;

class SplitCrossEntropy : public torch::autograd::Function<SplitCrossEntropy> {
 public:
  static at::Tensor forward(AutogradContext* context, const at::Tensor& logits,
                            const at::Tensor& targets) {
    const at::Tensor x = logits.to(at::kFloat);
    x.sub_(at::amax(x, {-1}, /*keepdim=*/true));
    const at::Tensor elsewhere = at::ge(targets, x.size(-1));
    const at::Tensor columns = at::sub(targets, 0);
    columns.masked_fill_(elsewhere, 0);
    at::Tensor loss = at::gather(x, -1, columns.unsqueeze(-1)).squeeze(-1);
    loss.masked_fill_(elsewhere, 0);
    x.exp_();
    const at::Tensor sums = at::sum(x, {-1});
    loss = at::sub(at::log(sums), loss);
    x.div_(sums.unsqueeze(-1));
    context->save_for_backward({x, elsewhere, columns});
    return loss;
  }

  static variable_list backward(AutogradContext* context, const variable_list& gradients) {
    const variable_list saved = context->get_saved_variables();
    const at::Tensor& x = saved[0];
    x.mul_(gradients[0].unsqueeze(-1));
    return {x, {}};
  }
};

}  // namespace

at::Tensor split_cross_entropy(const at::Tensor& logits, const at::Tensor& targets) {
  note_custom_node();
  return at::mean(SplitCrossEntropy::apply(logits, targets));
}

}  // namespace ts::kernels
