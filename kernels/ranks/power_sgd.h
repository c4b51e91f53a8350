#pragma once

#include <cstdint>
#include <memory>
#include <torch/csrc/distributed/c10d/ProcessGroup.hpp>
#include <torch/csrc/distributed/c10d/comm.hpp>
#include <vector>

#include "core/run/world.h"

namespace ts::kernels {

// PowerSGD (Vogels et al. 2019) as a hook of c10d's Reducer, with the steps and the defaults of
// PyTorch's powerSGD_hook: a gradient of n x m that is worth it travels as P (n x r) and Q (m x r),
// begins with the Q of the step before, and is given what was left out then. Everything else, and
// the first kPlainExchanges exchanges, travel whole. Private to this folder.
class PowerSgd final : public c10d::CommHookInterface {
 public:
  static constexpr std::int64_t kPlainExchanges = 2;  // the least that the Reducer's order allows

  PowerSgd(c10::intrusive_ptr<c10d::ProcessGroup> ranks, std::int64_t rank);
  ~PowerSgd() override;

  // A bucket begins when the one before it has ended: ranks must issue collectives in one order.
  c10::intrusive_ptr<c10::ivalue::Future> runHook(c10d::GradBucket& bucket) override;
  at::Tensor parseHookResult(const c10::IValue& result) override;

  // The last exchange, and the tensors that stay for the next one; while none is in progress.
  struct State;
  [[nodiscard]] std::shared_ptr<const State> state() const { return state_; }
  static run::CompressionFacts facts(const State& state);
  static std::vector<at::Tensor> kept(const State& state);

 private:
  const std::shared_ptr<State> state_;
};

}  // namespace ts::kernels
