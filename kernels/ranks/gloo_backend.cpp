// The one source that knows the class. Gloo's own headers are not in LibTorch's wheel: the names
// that this header needs of them are in third_party/gloo_names.
#define USE_C10D_GLOO
#include "kernels/ranks/gloo_backend.h"

#include <torch/csrc/distributed/c10d/ProcessGroupGloo.hpp>

namespace ts::kernels {

c10::intrusive_ptr<c10d::Backend> make_gloo(const c10::intrusive_ptr<c10d::Store>& store, int rank,
                                            int size, const std::string& host,
                                            std::chrono::milliseconds timeout) {
  using c10d::ProcessGroupGloo;
  auto options = ProcessGroupGloo::Options::create(timeout);
  options->devices.push_back(host.empty() ? ProcessGroupGloo::createDefaultDevice()
                                          : ProcessGroupGloo::createDeviceForHostname(host));
  return c10::make_intrusive<ProcessGroupGloo>(store, rank, size, std::move(options));
}

}  // namespace ts::kernels
