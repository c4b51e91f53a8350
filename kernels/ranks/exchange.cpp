#include "kernels/ranks/exchange.h"

#include <exception>
#include <torch/csrc/distributed/c10d/ProcessGroup.hpp>

#include "kernels/ranks/rank_handles.h"

namespace ts::kernels {
namespace {

void finish(RankGroup& group, c10::intrusive_ptr<c10d::Work> work) {
  try {
    work->wait();
  } catch (const std::exception&) {
    work.reset();
    group.settle();  // throws with the reason
    throw;
  }
  work.reset();
  group.settle();
}

}  // namespace

// Newer versions of PyTorch have other names for these two, which 2.11 does not have.
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wdeprecated-declarations"
void Exchange::all_gather(at::Tensor all, at::Tensor mine) {
  finish(group_, group_.handles().group->_allgather_base(all, mine));
}

void Exchange::reduce_scatter(at::Tensor mine, at::Tensor all) {
  finish(group_, group_.handles().group->_reduce_scatter_base(mine, all));
}
#pragma GCC diagnostic pop

void Exchange::sum(const at::Tensor& tensor) {
  std::vector<at::Tensor> tensors = {tensor};
  finish(group_, group_.handles().group->allreduce(tensors));
}

void Exchange::broadcast(const std::vector<std::vector<at::Tensor>>& of_ranks) {
  c10d::BroadcastOptions options;
  for (std::size_t rank = 0; rank < of_ranks.size(); ++rank) {
    options.rootRank = static_cast<std::int64_t>(rank);
    for (const at::Tensor& tensor : of_ranks[rank]) {
      std::vector<at::Tensor> tensors = {tensor};
      group_.handles().group->broadcast(tensors, options);
    }
  }
  group_.settle();
}

}  // namespace ts::kernels
