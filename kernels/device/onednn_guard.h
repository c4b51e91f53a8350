#pragma once

#include <ATen/Context.h>

namespace ts::kernels {

// LibTorch treats any exception inside a 16-bit product as a failure of oneDNN
// (native/LinearAlgebra.cpp, bmm): it swallows it, computes the product with another BLAS and
// leaves oneDNN off for the whole process. A refused allocation would be lost there, and every
// later run would differ. This restores the switch and reports that it had changed. Worker thread.
class OneDnnGuard {
 public:
  OneDnnGuard() : was_on_(at::globalContext().userEnabledMkldnn()) {}
  ~OneDnnGuard() {
    if (switched_off()) at::globalContext().setUserEnabledMkldnn(true);
  }
  OneDnnGuard(const OneDnnGuard&) = delete;
  OneDnnGuard& operator=(const OneDnnGuard&) = delete;
  [[nodiscard]] bool switched_off() const {
    return was_on_ && !at::globalContext().userEnabledMkldnn();
  }

 private:
  bool was_on_;
};

}  // namespace ts::kernels
