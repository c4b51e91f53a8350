#include "core/predict/share.h"

#include <algorithm>
#include <numeric>

#include "core/spec/masking.h"
#include "core/spec/spec_fields.h"
#include "core/spec/workload_math.h"
#include "core/spec/workload_traits.h"
#include "core/text/message.h"

namespace ts::predict {
namespace {

base::Message divided(std::string what, std::int64_t number, std::int64_t tensor) {
  return text::message("share.not_divisible", {{"what", std::move(what)},
                                               {"number", std::to_string(number)},
                                               {"tensor", std::to_string(tensor)}});
}

std::optional<base::Message> tensor_problem(const spec::WorkloadSpec& spec, std::int64_t tensor) {
  if (spec.kernels == spec::Kernels::own) return text::message("share.own_kernels");
  if (spec::latent(spec).any()) return text::message("share.latent");
  const spec::Experts experts = spec::experts(spec);
  struct Divided {
    const char* name;
    std::int64_t number;
  };
  for (const Divided& one : {Divided{"heads", spec.heads},
                             {"kv_heads", spec::kv_head_count(spec)},
                             {"d_ff", spec.d_ff},
                             {"expert_ff", experts.hidden},
                             {"shared_ff", experts.shared},
                             {"vocab", spec.vocab}}) {
    if (one.number % tensor != 0) return divided(one.name, one.number, tensor);
  }
  return std::nullopt;
}

std::optional<base::Message> pipeline_problem(const spec::WorkloadSpec& spec, const Share& share) {
  if (!spec::has_backward(spec.pass)) return text::message("share.no_backward");
  if (share.shards_gradients()) return text::message("share.pipeline_shards");
  if (spec::mixes_windows(spec) || spec::experts(spec).some_layers())
    return text::message("share.mixed_layers");
  if (spec.layers < share.pipeline) {
    return text::message("share.few_layers", {{"layers", std::to_string(spec.layers)},
                                              {"stages", std::to_string(share.pipeline)}});
  }
  const std::int64_t batches = spec::micro_batches(spec);
  if (batches < share.pipeline) {
    return text::message("share.few_batches", {{"batches", std::to_string(batches)},
                                               {"stages", std::to_string(share.pipeline)}});
  }
  return std::nullopt;
}

}  // namespace

Share share_of(const run::World& world) {
  return {.ranks = world.place.size, .shard = world.shard, .rank = world.place.rank};
}

std::optional<base::Message> share_problem(const spec::WorkloadSpec& spec, const Share& share) {
  if (share.whole()) return std::nullopt;
  const std::int64_t least = std::min({share.ranks, share.tensor, share.pipeline});
  if (least < 1 || std::max({share.ranks, share.tensor, share.pipeline}) > kMostRanks) {
    return text::message("share.range", {{"most", std::to_string(kMostRanks)}});
  }
  if (share.stage < 0 || share.stage >= share.pipeline) {
    return text::message("share.stage", {{"stage", std::to_string(share.stage)},
                                         {"last", std::to_string(share.pipeline - 1)}});
  }
  if (share.rank >= share.ranks) {
    return text::message("share.rank", {{"rank", std::to_string(share.rank)},
                                        {"last", std::to_string(share.ranks - 1)}});
  }
  if (share.shard != Shard::none && share.ranks == 1) return text::message("share.one_rank");
  if (spec.pass == spec::Pass::generate) return text::message("share.generate");
  if (spec::habit(spec) != spec::Habit::none || spec::captures_step(spec)) {
    return text::message("share.plain_step");
  }
  if (share.ranks > 1 && !spec::has_backward(spec.pass)) return text::message("share.no_backward");
  if (share.shard == Shard::zero1 && spec.pass != spec::Pass::full_step) {
    return text::message("share.no_optimizer");
  }
  if (share.shards_gradients() && spec.zero_grad == spec::ZeroGrad::zero) {
    return text::message("share.zeroed");
  }
  if (spec::trains_adapters(spec) && (share.tensor > 1 || share.shards_gradients())) {
    return text::message("share.adapters");
  }
  const bool splits = share.tensor > 1 || share.pipeline > 1 || share.shards_gradients();
  if (splits && spec::freezes(spec) && !spec::trains_adapters(spec)) {
    return text::message("share.frozen");
  }
  if (share.shards_gradients() && spec::traits_of(spec.workload).joins_images) {
    return text::message("share.vlm");
  }
  if (share.tensor == 1 && share.pipeline == 1) return std::nullopt;
  if (spec.workload != spec::WorkloadKind::lm) return text::message("share.only_lm");
  if (share.tensor > 1) {
    if (auto problem = tensor_problem(spec, share.tensor)) return problem;
  }
  if (share.pipeline > 1) return pipeline_problem(spec, share);
  return std::nullopt;
}

std::int64_t stage_layers(const Share& share, std::int64_t layers) {
  return layers * (share.stage + 1) / share.pipeline - layers * share.stage / share.pipeline;
}

std::int64_t batches_in_flight(const Share& share, std::int64_t micro_batches) {
  return std::min(micro_batches, share.pipeline - share.stage);
}

std::optional<base::Message> shard_problem(const spec::WorkloadSpec& spec,
                                           const run::World& world) {
  if (world.shard == Shard::none) return std::nullopt;
  const Share share = share_of(world);
  if (auto problem = share_problem(spec, share)) return problem;
  if (share.shards_gradients() && world.compression != run::Compression::none) {
    return text::message("share.compressed");
  }
  return std::nullopt;
}

Partitions partitions(std::span<const std::int64_t> sizes, std::int64_t ranks) {
  std::vector<std::size_t> order(sizes.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::ranges::stable_sort(order, [&](auto a, auto b) { return sizes[a] > sizes[b]; });
  Partitions dealt;
  dealt.of_ranks.resize(static_cast<std::size_t>(ranks));
  std::vector<std::int64_t> totals(static_cast<std::size_t>(ranks), 0);
  for (const std::size_t i : order) {
    const auto least = static_cast<std::size_t>(std::ranges::min_element(totals) - totals.begin());
    dealt.of_ranks[least].push_back(i);
    totals[least] += sizes[i];
  }
  dealt.fullest = static_cast<std::size_t>(std::ranges::max_element(totals) - totals.begin());
  return dealt;
}

std::string share_text(const Share& share) {
  std::string words;
  const auto add = [&](const std::string& part) { words += (words.empty() ? "" : ", ") + part; };
  if (share.ranks > 1) {
    add((share.shard == Shard::none ? std::string("data parallel") : to_string(share.shard)) +
        " on " + std::to_string(share.ranks) + " ranks");
  }
  if (share.tensor > 1) add("tensor " + std::to_string(share.tensor));
  if (share.pipeline > 1) {
    add("stage " + std::to_string(share.stage + 1) + " of " + std::to_string(share.pipeline));
  }
  return words.empty() ? "one card" : words;
}

}  // namespace ts::predict
