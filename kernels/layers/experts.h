#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/run/engine.h"
#include "core/spec/workload_traits.h"
#include "kernels/layers/feed_forward.h"

namespace ts::kernels {

// Experts (Shazeer et al. 2017), each a SwiGLU, as Mixtral has them: a router scores them for each
// token, the token goes to the `per_token` best, and what they make of it is added up with the
// weights that spec::ExpertWeights names (one alone is never made to weigh one). One more may be
// for every token (DeepSeekMoE), weighed by the sigmoid of a gate or not. Tokens are copied to the
// places of their expert by index, all experts run in one batched product each, and their rows are
// read back by index. An expert has as many places as Experts::room says, first come, first served;
// what finds none adds nothing, and places that stay empty are computed with zeros. So shapes
// depend on sizes alone.
class Experts final : public FeedForward {
 public:
  // Parameters: PATH.router.weight [experts, width]; PATH.w1, PATH.w3 [experts, hidden, width] and
  // PATH.w2 [experts, width, hidden]; those of PATH.shared, and PATH.shared_gate.weight [1, width].
  Experts(Builder& builder, const std::string& path, std::int64_t width,
          const spec::Experts& experts, const spec::Writing& written);
  // x: [..., width]; the result too.
  [[nodiscard]] at::Tensor forward(const at::Tensor& x) const override;

  // The last forward's choices that fell on each expert, and the places that each had.
  [[nodiscard]] std::vector<std::int64_t> load() const;
  [[nodiscard]] std::int64_t room() const { return room_; }

 private:
  // Where the choices of the tokens go, one after the other.
  struct Places {
    at::Tensor slots;    // int64: expert * room + place; experts * room where there is none
    at::Tensor dropped;  // bool: the expert was full
  };
  [[nodiscard]] Places place(const at::Tensor& chosen, std::int64_t room) const;
  [[nodiscard]] at::Tensor scores_of(const at::Tensor& tokens) const;
  [[nodiscard]] at::Tensor run(const at::Tensor& inbox) const;
  [[nodiscard]] at::Tensor share(const at::Tensor& x) const;

  std::string path_;
  spec::Experts experts_;
  spec::Form silu_;
  Linear router_;
  at::Tensor w1_, w2_, w3_;
  std::optional<SwiGlu> shared_;
  std::optional<Linear> gate_;
  at::Tensor load_;  // int64 [experts]
  mutable std::int64_t room_ = 0;
};

// How uneven the last forward was over some layers: the choices of the most chosen expert over the
// mean of all ("expert_load_max"), and the share of choices that found no place
// ("expert_dropped_share"). Nothing without experts or data.
std::vector<run::NamedNumber> load_numbers(const std::vector<const Experts*>& layers);

}  // namespace ts::kernels
