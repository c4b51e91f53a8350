#include "kernels/ranks/watched_backend.h"

#include <ATen/ops/from_blob.h>

#include <chrono>
#include <cstdint>
#include <exception>
#include <thread>

#include "core/base/clock.h"

namespace ts::kernels {
namespace {

bool is_released(const c10::intrusive_ptr<c10d::Work>& work) {
  return work.use_count() == 1;
}

// Gloo's thread lets go of a work, and of its tensors, a moment after it has told of the end: on a
// busy machine the next step may have begun by then, and the tensors count in its peak.
void wait_for_release(const c10::intrusive_ptr<c10d::Work>& work) {
  constexpr std::int64_t kLongest = 5'000'000'000;  // nanoseconds
  const std::int64_t latest = base::now_ns() + kLongest;
  while (!is_released(work) && base::now_ns() < latest) std::this_thread::yield();
}

// Closes the connections to all ranks, so that all that waits for them fails: Gloo does so when a
// receive times out, and has no other call for it. A connection that is already broken refuses the
// receive and leaves the others open.
void disconnect(c10d::Backend& backend) {
  constexpr int kUnusedTag = 0x7473;
  for (int rank = 0; rank < backend.getSize(); ++rank) {
    if (rank == backend.getRank()) continue;
    std::uint8_t byte = 0;
    std::vector<at::Tensor> tensors = {
        at::from_blob(&byte, {1}, at::TensorOptions().dtype(at::kByte))};
    try {
      backend.recv(tensors, rank, kUnusedTag)->wait(std::chrono::milliseconds(1));
    } catch (const std::exception&) {
      // It was broken, or is closed now.
    }
  }
}

}  // namespace

std::string WatchedWork::settle() {
  std::vector<c10::intrusive_ptr<c10d::Work>> works;
  {
    const std::lock_guard lock(mutex_);
    works.swap(works_);
  }
  for (const auto& work : works) {
    try {
      work->wait();
    } catch (const std::exception&) {
      // Its callback noted why.
    }
    wait_for_release(work);
  }
  const std::lock_guard lock(failure_->mutex);
  return std::exchange(failure_->reason, {});
}

void WatchedWork::add(const c10::intrusive_ptr<c10d::Work>& work) {
  work->getFuture()->addCallback([failure = failure_](c10::ivalue::Future& done) {
    if (!done.hasError()) return;
    const std::string what = done.tryRetrieveErrorMessage();
    std::function<void()> act;
    {
      const std::lock_guard lock(failure->mutex);
      if (failure->reason.empty()) failure->reason = what.substr(0, what.find('\n'));
      act = std::exchange(failure->act, {});
    }
    if (act) act();
  });
  const std::lock_guard lock(mutex_);
  std::erase_if(works_, [](const auto& one) { return one->isCompleted() && is_released(one); });
  works_.push_back(work);
}

WatchedBackend::WatchedBackend(c10::intrusive_ptr<c10d::Backend> backend,
                               std::shared_ptr<WatchedWork> work)
    : Backend(backend->getRank(), backend->getSize()),
      backend_(std::move(backend)),
      work_(std::move(work)) {
  // The backend waits for its threads before it ends.
  work_->on_failure([gloo = backend_.get()] { disconnect(*gloo); });
}

c10::intrusive_ptr<c10d::Work> WatchedBackend::watched(c10::intrusive_ptr<c10d::Work> work) {
  work_->add(work);
  return work;
}

const std::string WatchedBackend::getBackendName() const {
  return backend_->getBackendName();
}

void WatchedBackend::setTimeout(std::chrono::milliseconds timeout) {
  backend_->setTimeout(timeout);
}

c10::intrusive_ptr<c10d::Work> WatchedBackend::broadcast(std::vector<at::Tensor>& tensors,
                                                         const c10d::BroadcastOptions& options) {
  return watched(backend_->broadcast(tensors, options));
}

c10::intrusive_ptr<c10d::Work> WatchedBackend::allreduce(std::vector<at::Tensor>& tensors,
                                                         const c10d::AllreduceOptions& options) {
  return backend_->allreduce(tensors, options);
}

c10::intrusive_ptr<c10d::Work> WatchedBackend::allgather(
    std::vector<std::vector<at::Tensor>>& outputs, std::vector<at::Tensor>& inputs,
    const c10d::AllgatherOptions& options) {
  return watched(backend_->allgather(outputs, inputs, options));
}

c10::intrusive_ptr<c10d::Work> WatchedBackend::_allgather_base(
    at::Tensor& output, at::Tensor& input, const c10d::AllgatherOptions& options) {
  return watched(backend_->_allgather_base(output, input, options));
}

c10::intrusive_ptr<c10d::Work> WatchedBackend::_reduce_scatter_base(
    at::Tensor& output, at::Tensor& input, const c10d::ReduceScatterOptions& options) {
  return backend_->_reduce_scatter_base(output, input, options);
}

c10::intrusive_ptr<c10d::Work> WatchedBackend::barrier(const c10d::BarrierOptions& options) {
  return watched(backend_->barrier(options));
}

c10::intrusive_ptr<c10d::Work> WatchedBackend::send(std::vector<at::Tensor>& tensors, int rank,
                                                    int tag) {
  return backend_->send(tensors, rank, tag);
}

c10::intrusive_ptr<c10d::Work> WatchedBackend::recv(std::vector<at::Tensor>& tensors, int rank,
                                                    int tag) {
  return backend_->recv(tensors, rank, tag);
}

}  // namespace ts::kernels
