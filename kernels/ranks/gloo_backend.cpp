// The one source that knows the class. Gloo's own headers are not in LibTorch's wheel: the names
// that this header needs of them are in third_party/gloo_names.
#define USE_C10D_GLOO
#include "kernels/ranks/gloo_backend.h"

#include <torch/csrc/distributed/c10d/ProcessGroupGloo.hpp>
#include <utility>

namespace ts::kernels {
namespace {

class Gloo final : public c10d::ProcessGroupGloo {
 public:
  Gloo(const c10::intrusive_ptr<c10d::Store>& store, int rank, int size,
       c10::intrusive_ptr<Options> options, AllReduceBegan began)
      : ProcessGroupGloo(store, rank, size, std::move(options)), began_(std::move(began)) {}

  c10::intrusive_ptr<c10d::Work> allreduce(std::vector<at::Tensor>& tensors,
                                           const c10d::AllreduceOptions& options) override {
    auto work = ProcessGroupGloo::allreduce(tensors, options);
    began_(work);
    return work;
  }

 private:
  const AllReduceBegan began_;
};

}  // namespace

c10::intrusive_ptr<c10d::Backend> make_gloo(const c10::intrusive_ptr<c10d::Store>& store, int rank,
                                            int size, const std::string& host,
                                            std::chrono::milliseconds timeout,
                                            AllReduceBegan began) {
  using c10d::ProcessGroupGloo;
  auto options = ProcessGroupGloo::Options::create(timeout);
  options->devices.push_back(host.empty() ? ProcessGroupGloo::createDefaultDevice()
                                          : ProcessGroupGloo::createDeviceForHostname(host));
  return c10::make_intrusive<Gloo>(store, rank, size, std::move(options), std::move(began));
}

}  // namespace ts::kernels
