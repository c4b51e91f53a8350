#include <ATen/Context.h>
#include <ATen/ops/scaled_dot_product_attention.h>

#include <optional>

#include "kernels/attention/attend.h"
#include "kernels/dry_run/sdpa.h"

namespace ts::kernels {
namespace {

// Allows exactly one kernel while it lives, or all for automatic.
class SdpaSteering {
 public:
  explicit SdpaSteering(spec::AttentionBackend backend)
      : math_(context_.userEnabledMathSDP()),
        flash_(context_.userEnabledFlashSDP()),
        efficient_(context_.userEnabledMemEfficientSDP()),
        cudnn_(context_.userEnabledCuDNNSDP()) {
    const bool any = backend == spec::AttentionBackend::automatic;
    set(any || backend == spec::AttentionBackend::math,
        any || backend == spec::AttentionBackend::flash,
        any || backend == spec::AttentionBackend::efficient,
        any || backend == spec::AttentionBackend::cudnn);
  }
  ~SdpaSteering() { set(math_, flash_, efficient_, cudnn_); }
  SdpaSteering(const SdpaSteering&) = delete;
  SdpaSteering& operator=(const SdpaSteering&) = delete;

 private:
  void set(bool math, bool flash, bool efficient, bool cudnn) {
    context_.setSDPUseMath(math);
    context_.setSDPUseFlash(flash);
    context_.setSDPUseMemEfficient(efficient);
    context_.setSDPUseCuDNN(cudnn);
  }

  at::Context& context_ = at::globalContext();
  bool math_;
  bool flash_;
  bool efficient_;
  bool cudnn_;
};

}  // namespace

at::Tensor attend_sdpa(const AttentionMethod& method, const at::Tensor& q, const at::Tensor& k,
                       const at::Tensor& v) {
  // A mask that is a tensor has the causal one in it.
  std::optional<at::Tensor> mask;
  if (method.visible.defined()) mask = first_part(method.visible, q.size(2), k.size(2));
  const bool causal = method.causal && !mask;
  if (q.is_meta()) {
    return attend_sdpa_dry(method.backend,
                           {.causal = causal, .mask = mask, .dropout = method.dropout}, q, k, v);
  }
  const SdpaSteering steering(method.backend);
  const bool grouped = q.size(1) != k.size(1);
  return at::scaled_dot_product_attention(q, k, v, mask, method.dropout, causal,
                                          /*scale=*/std::nullopt, grouped);
}

}  // namespace ts::kernels
