#pragma once

#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <torch/csrc/distributed/c10d/Backend.hpp>
#include <utility>
#include <vector>

namespace ts::kernels {

// The work that goes on. Tensors live as long as their work: it is forgotten in settle(), and when
// the next one begins if the backend has let go of it. Any thread.
class WatchedWork {
 public:
  void add(const c10::intrusive_ptr<c10d::Work>& work);
  // `act` is called when work fails for the first time, on the thread where it failed. Set before
  // the first work.
  void on_failure(std::function<void()> act) { failure_->act = std::move(act); }
  // Waits for the end of all work, and until its tensors are let go of. Returns why one of it
  // failed since the last call, its first line; empty when none did.
  std::string settle();

 private:
  struct Failure {
    std::mutex mutex;
    std::string reason;
    std::function<void()> act;  // empty after the first failure
  };
  const std::shared_ptr<Failure> failure_ = std::make_shared<Failure>();
  std::mutex mutex_;
  std::vector<c10::intrusive_ptr<c10d::Work>> works_;
};

// Passes every collective on to another backend and remembers its work, so that one can wait until
// all of it has ended: LibTorch tells the Reducer of a result before the hooks of the operator have
// run, and a recording must not end in between. When one fails it ends all others, of this rank and
// of its peers: each would wait for the other until the time-out. Any thread.
class WatchedBackend final : public c10d::Backend {
 public:
  // `work`: to which the backend itself adds its all-reduces.
  WatchedBackend(c10::intrusive_ptr<c10d::Backend> backend, std::shared_ptr<WatchedWork> work);

  std::string settle() { return work_->settle(); }

  [[nodiscard]] const std::string getBackendName() const override;
  void setTimeout(std::chrono::milliseconds timeout) override;
  c10::intrusive_ptr<c10d::Work> broadcast(std::vector<at::Tensor>& tensors,
                                           const c10d::BroadcastOptions& options) override;
  c10::intrusive_ptr<c10d::Work> allreduce(std::vector<at::Tensor>& tensors,
                                           const c10d::AllreduceOptions& options) override;
  c10::intrusive_ptr<c10d::Work> allgather(std::vector<std::vector<at::Tensor>>& outputs,
                                           std::vector<at::Tensor>& inputs,
                                           const c10d::AllgatherOptions& options) override;
  c10::intrusive_ptr<c10d::Work> _allgather_base(at::Tensor& output, at::Tensor& input,
                                                 const c10d::AllgatherOptions& options) override;
  c10::intrusive_ptr<c10d::Work> _reduce_scatter_base(
      at::Tensor& output, at::Tensor& input, const c10d::ReduceScatterOptions& options) override;
  c10::intrusive_ptr<c10d::Work> barrier(const c10d::BarrierOptions& options) override;
  c10::intrusive_ptr<c10d::Work> send(std::vector<at::Tensor>& tensors, int rank, int tag) override;
  c10::intrusive_ptr<c10d::Work> recv(std::vector<at::Tensor>& tensors, int rank, int tag) override;

 private:
  c10::intrusive_ptr<c10d::Work> watched(c10::intrusive_ptr<c10d::Work> work);

  const c10::intrusive_ptr<c10d::Backend> backend_;
  const std::shared_ptr<WatchedWork> work_;
};

}  // namespace ts::kernels
