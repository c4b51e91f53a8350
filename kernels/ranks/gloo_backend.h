#pragma once

#include <chrono>
#include <string>
#include <torch/csrc/distributed/c10d/Backend.hpp>
#include <torch/csrc/distributed/c10d/Store.hpp>

namespace ts::kernels {

// Gloo, as it is in libtorch_cpu, on the interface that `host` names: the address of this rank on
// the way to the others. Connects to all ranks, which takes as long as the slowest rank needs to
// come, at most `timeout`; throws then. A collective that takes longer than `timeout` throws.
c10::intrusive_ptr<c10d::Backend> make_gloo(const c10::intrusive_ptr<c10d::Store>& store, int rank,
                                            int size, const std::string& host,
                                            std::chrono::milliseconds timeout);

}  // namespace ts::kernels
