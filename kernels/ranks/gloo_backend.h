#pragma once

#include <chrono>
#include <functional>
#include <string>
#include <torch/csrc/distributed/c10d/Backend.hpp>
#include <torch/csrc/distributed/c10d/Store.hpp>

namespace ts::kernels {

// Called for every all-reduce that begins, with its work.
using AllReduceBegan = std::function<void(const c10::intrusive_ptr<c10d::Work>&)>;

// Gloo, as it is in libtorch_cpu, on the interface that `host` names: the address of this rank on
// the way to the others. Connects to all ranks, which takes as long as the slowest rank needs to
// come, at most `timeout`; throws then. A collective that takes longer than `timeout` throws.
// `began` is also called for the all-reduces of the backend itself: its reduce-scatter is the
// all-reduce of a copy, and the work that it returns neither reports a failure nor frees the copy
// in time.
c10::intrusive_ptr<c10d::Backend> make_gloo(const c10::intrusive_ptr<c10d::Store>& store, int rank,
                                            int size, const std::string& host,
                                            std::chrono::milliseconds timeout,
                                            AllReduceBegan began);

}  // namespace ts::kernels
