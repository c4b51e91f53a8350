#pragma once

#include <ATen/core/Tensor.h>

#include <cstddef>
#include <string>
#include <vector>

#include "kernels/workloads/transformer_block.h"

namespace ts::kernels {

// The blocks of a model, one after the other: "blocks.0" and so on behind a prefix. With
// spec.frozen_layers the first of them are frozen, as the builder must be when it comes here; it is
// not behind them. With checkpointing of blocks those that get gradients run again in the backward.
class BlockStack {
 public:
  BlockStack(Builder& builder, const std::string& prefix, const spec::WorkloadSpec& spec);
  // x: [B, T, d_model]; the result too.
  [[nodiscard]] at::Tensor forward(at::Tensor x) const;

  [[nodiscard]] std::size_t size() const { return blocks_.size(); }
  const TransformerBlock& operator[](std::size_t index) const { return blocks_[index]; }

 private:
  [[nodiscard]] at::Tensor run(std::size_t first, std::size_t end, at::Tensor x) const;
  [[nodiscard]] at::Tensor run_again_later(std::size_t first, std::size_t end,
                                           const at::Tensor& x) const;

  std::vector<TransformerBlock> blocks_;
  std::size_t run_together_ = 0;   // blocks of a checkpoint; 0: none
  std::size_t first_trained_ = 0;  // the number of blocks: none is
};

}  // namespace ts::kernels
