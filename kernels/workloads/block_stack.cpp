#include "kernels/workloads/block_stack.h"

#include <ATen/core/grad_mode.h>

#include <algorithm>
#include <optional>
#include <utility>

#include "core/spec/masking.h"
#include "core/spec/workload_math.h"
#include "core/spec/workload_traits.h"
#include "kernels/layers/checkpoint.h"
#include "kernels/share/fully_shard.h"

namespace ts::kernels {

BlockStack::BlockStack(Builder& builder, const std::string& prefix,
                       const spec::WorkloadSpec& spec) {
  if (spec::checkpointing(spec) == spec::Checkpoint::blocks) {
    run_together_ = static_cast<std::size_t>(spec.checkpoint_every);
  }
  const std::int64_t frozen = spec::frozen_layers(spec);
  const BlockSettings settings = make_block_settings(builder, spec);
  std::optional<AttentionMethod> unlimited;
  if (spec::mixes_windows(spec))
    unlimited = make_attention_method(builder, spec::without_window(spec));
  for (std::int64_t i = 0; i < spec.layers; ++i) {
    if (frozen > 0 && i == frozen) builder.freeze(false);
    if (builder.frozen() && settings.lora.rank == 0) ++first_trained_;
    BlockSettings of_block = settings;
    if (settings.experts.blocks_with(i, i + 1) == 0) of_block.experts = {};
    if (unlimited && !spec::has_window(spec, i)) of_block.attention = *unlimited;
    blocks_.emplace_back(builder, prefix + "blocks." + std::to_string(i), of_block);
  }
  if (frozen > 0) builder.freeze(false);
}

at::Tensor BlockStack::forward(at::Tensor x) const {
  for (std::size_t i = 0; i < blocks_.size();) {
    const bool trained = i >= first_trained_;
    const bool again = run_together_ > 0 && (trained || x.requires_grad());
    const std::size_t together = again ? run_together_ : 1;
    const std::size_t end = std::min(i + together, blocks_.size());
    // A checkpoint whose input needs no gradient has none for its parameters either: it gets one,
    // as by enable_input_require_grads of transformers.
    if (again && !x.requires_grad() && at::GradMode::is_enabled()) x.set_requires_grad(true);
    const std::size_t unit = 1 + i / together;
    x = enter_unit(std::move(x), unit);
    x = again ? run_again_later(i, end, x) : run(i, end, std::move(x));
    x = leave_unit(std::move(x), unit);
    i = end;
  }
  return x;
}

at::Tensor BlockStack::run(std::size_t first, std::size_t end, at::Tensor x) const {
  for (std::size_t i = first; i < end; ++i) x = blocks_[i].forward(std::move(x));
  return x;
}

at::Tensor BlockStack::run_again_later(std::size_t first, std::size_t end,
                                       const at::Tensor& x) const {
  return checkpoint(
      [this, first, end](const std::vector<at::Tensor>& inputs) {
        return run(first, end, inputs[0]);
      },
      {x});
}

}  // namespace ts::kernels
