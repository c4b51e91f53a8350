#include "kernels/layers/head.h"

#include <ATen/ops/cross_entropy_loss.h>

#include "core/spec/workload_math.h"
#include "core/spec/workload_traits.h"
#include "kernels/device/precision.h"
#include "kernels/layers/softcap.h"
#include "kernels/layers/written.h"
#include "kernels/observe/dtype_map.h"
#include "kernels/observe/module_scope.h"
#include "kernels/operators/cross_entropy.h"
#include "kernels/share/vocabulary.h"

namespace ts::kernels {

Head::Head(Linear projection, const spec::WorkloadSpec& spec, bool split)
    : projection_(std::move(projection)),
      fused_(spec::uses_own_kernels(spec) && spec::has_backward(spec.pass) &&
             !spec::has_head_bias(spec) && spec::softcaps(spec).logits == 0),
      written_(spec::writing(spec).cross_entropy == spec::Form::written),
      split_(split),
      softcap_(spec::softcaps(spec).logits) {}

at::Tensor Head::forward(const at::Tensor& x) const {
  if (fused_) return x;
  at::Tensor logits = projection_.forward(x);
  return softcap_ > 0 ? capped(std::move(logits), softcap_) : logits;
}

at::Tensor Head::loss(const at::Tensor& output, const at::Tensor& targets) const {
  const at::Tensor rows = output.flatten(0, -2);
  if (split_) return split_cross_entropy(rows, targets.flatten());
  if (written_) return written_cross_entropy(rows, targets.flatten());
  if (!fused_) return at::cross_entropy_loss(rows, targets.flatten());
  const ModuleScope scope(projection_.path());
  // As autocast would give them to a product.
  const at::ScalarType type = AutocastState::current(output.device().type())
                                  .type.value_or(projection_.weight().scalar_type());
  const at::Tensor x = rows.to(type);
  note_dtype(projection_.path(), x);
  return own_cross_entropy(x, projection_.weight().to(type), targets.flatten());
}

}  // namespace ts::kernels
