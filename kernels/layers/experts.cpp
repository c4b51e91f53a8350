#include "kernels/layers/experts.h"

#include <ATen/core/grad_mode.h>
#include <ATen/ops/add.h>
#include <ATen/ops/arange.h>
#include <ATen/ops/bmm.h>
#include <ATen/ops/div.h>
#include <ATen/ops/eq.h>
#include <ATen/ops/masked_fill.h>
#include <ATen/ops/mul.h>
#include <ATen/ops/sigmoid.h>
#include <ATen/ops/silu.h>
#include <ATen/ops/softmax.h>
#include <ATen/ops/topk.h>
#include <ATen/ops/zeros.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <tuple>

#include "kernels/layers/written.h"
#include "kernels/observe/module_scope.h"

namespace ts::kernels {
namespace {

// Matrices of one expert after the other, each with the deviation that a linear layer has.
at::Tensor matrices(Builder& builder, const std::string& name, std::int64_t count, std::int64_t out,
                    std::int64_t in) {
  const double deviation = std::sqrt(2.0 / static_cast<double>(in + out));
  return builder.truncated_normal(name, std::array{count, out, in}, deviation);
}

// Each expert's rows by its own matrix: [experts, room, in] to [experts, room, out].
at::Tensor by_expert(const at::Tensor& rows, const at::Tensor& weight) {
  return at::bmm(rows, weight.transpose(1, 2));
}

}  // namespace

Experts::Experts(Builder& builder, const std::string& path, std::int64_t width,
                 const spec::Experts& experts, const spec::Writing& written)
    : path_(path),
      experts_(experts),
      silu_(written.silu),
      router_(builder, path + ".router", width, experts.count, Bias::none, written.products),
      w1_(matrices(builder, path + ".w1", experts.count, experts.hidden, width)),
      w2_(matrices(builder, path + ".w2", experts.count, width, experts.hidden)),
      w3_(matrices(builder, path + ".w3", experts.count, experts.hidden, width)),
      load_(builder.keep_input(at::zeros({experts.count}, builder.options().dtype(at::kLong)))) {
  if (experts.shared > 0)
    shared_.emplace(builder, path + ".shared", width, experts.shared, written);
  if (experts.gated) {
    gate_.emplace(builder, path + ".shared_gate", width, 1, Bias::none, written.products);
  }
}

Experts::Places Experts::place(const at::Tensor& chosen, std::int64_t room) const {
  const at::NoGradGuard no_grad;
  const at::Tensor choices = chosen.flatten();
  const at::Tensor numbers = at::arange(experts_.count, choices.options());
  // How many choices of each expert there are up to each choice.
  const at::Tensor so_far = at::eq(choices.unsqueeze(1), numbers).cumsum(0);
  load_.copy_(so_far.select(0, -1));
  const at::Tensor place = so_far.gather(1, choices.unsqueeze(1)).squeeze(1).sub_(1);
  Places places;
  places.dropped = place.ge(room);
  places.slots = choices.mul(room).add_(place).masked_fill_(places.dropped, experts_.count * room);
  return places;
}

at::Tensor Experts::run(const at::Tensor& inbox) const {
  at::Tensor hidden = by_expert(inbox, w1_);
  hidden = silu_ == spec::Form::written ? written_silu(hidden) : at::silu(hidden);
  hidden = at::mul(hidden, by_expert(inbox, w3_));
  return by_expert(hidden, w2_);
}

at::Tensor Experts::scores_of(const at::Tensor& tokens) const {
  const at::Tensor scores = router_.forward(tokens);
  const at::ScalarType wide = at::promoteTypes(tokens.scalar_type(), at::kFloat);
  if (experts_.weights == spec::ExpertWeights::sigmoid) return at::sigmoid(scores.to(wide));
  return at::softmax(scores, -1, wide);
}

// The expert that every token is sent to.
at::Tensor Experts::share(const at::Tensor& x) const {
  const at::Tensor made = shared_->forward(x);
  return gate_ ? at::mul(made, at::sigmoid(gate_->forward(x))) : made;
}

at::Tensor Experts::forward(const at::Tensor& x) const {
  const ModuleScope scope(path_);
  const at::Tensor tokens = x.flatten(0, -2);
  const std::int64_t count = tokens.size(0), width = tokens.size(1), k = experts_.per_token;
  room_ = experts_.room(count);
  const std::int64_t slots = experts_.count * room_;
  const at::Tensor scores = scores_of(tokens);
  at::Tensor weights, chosen;
  std::tie(weights, chosen) = at::topk(scores, k, -1);
  // One alone would always weigh one, and the router learn nothing.
  const bool sums_to_one = k > 1 && experts_.weights != spec::ExpertWeights::softmax;
  if (sums_to_one) weights = at::div(weights, weights.sum(-1, /*keepdim=*/true));
  if (experts_.scale != 1) weights = at::mul(weights, experts_.scale);
  weights = weights.to(x.scalar_type());
  const Places places = place(chosen, room_);

  // One place more than there are, for what is dropped.
  at::Tensor inbox = at::zeros({slots + 1, width}, tokens.options());
  inbox.index_copy_(0, places.slots,
                    tokens.unsqueeze(1).expand({count, k, width}).reshape({count * k, width}));
  inbox = inbox.narrow(0, 0, slots).view({experts_.count, room_, width});
  const at::Tensor made = run(inbox).flatten(0, 1);

  weights = at::masked_fill(weights, places.dropped.view({count, k}), 0);
  const at::Tensor back = made.index_select(0, places.slots.clamp_max(slots - 1));
  const at::Tensor weighted = at::mul(back.view({count, k, width}), weights.unsqueeze(-1));
  const at::Tensor sum = weighted.sum(1).view(x.sizes());
  return shared_ ? at::add(sum, share(x)) : sum;
}

std::vector<std::int64_t> Experts::load() const {
  if (load_.is_meta()) return {};
  const at::Tensor here = load_.to(at::kCPU);
  const auto* const data = here.const_data_ptr<std::int64_t>();
  return {data, data + here.numel()};
}

std::vector<run::NamedNumber> load_numbers(const std::vector<const Experts*>& layers) {
  double most = 0;
  std::int64_t dropped = 0, all = 0;
  for (const Experts* const layer : layers) {
    std::int64_t here = 0, largest = 0;
    const std::vector<std::int64_t> load = layer->load();
    for (const std::int64_t choices : load) {
      here += choices;
      largest = std::max(largest, choices);
      dropped += std::max<std::int64_t>(choices - layer->room(), 0);
    }
    if (here == 0) continue;
    const double mean = static_cast<double>(here) / static_cast<double>(load.size());
    most = std::max(most, static_cast<double>(largest) / mean);
    all += here;
  }
  if (all == 0) return {};
  return {{"expert_load_max", most, 1},
          {"expert_dropped_share", static_cast<double>(dropped) / static_cast<double>(all), 0}};
}

}  // namespace ts::kernels
