#pragma once

#include <ATen/Context.h>

#include "core/spec/workload_spec.h"

namespace ts::kernels {

// Allows exactly one kernel of scaled_dot_product_attention while it lives, or all for automatic.
// The switches are the process's: one at a time.
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

}  // namespace ts::kernels
