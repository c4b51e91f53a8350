#include "core/cluster/cluster_hunt.h"

#include <algorithm>
#include <array>
#include <nlohmann/json.hpp>
#include <utility>

#include "core/advice/step_bound.h"
#include "core/base/string_table.h"
#include "core/spec/workload_math.h"
#include "core/spec/workload_traffic.h"
#include "core/text/message.h"
#include "core/text/numbers.h"

namespace ts::cluster {
namespace {

using predict::Shard;
using predict::Share;

constexpr std::array<const char*, kModeCount> kModes = {
    "data_parallel", "zero1",    "zero2",        "zero3",
    "tensor",        "pipeline", "tensor_zero3", "tensor_pipeline"};

// The largest power of two that is a tensor-parallel group of a node.
std::int64_t group_of(std::int64_t cards, std::int64_t node) {
  std::int64_t ways = 1;
  while (ways * 2 <= std::min(cards, node)) ways *= 2;
  return ways;
}

// With as many micro-batches as the stages need at least.
spec::WorkloadSpec spec_for(const spec::WorkloadSpec& spec, const Share& share) {
  spec::WorkloadSpec chosen = spec;
  chosen.accumulate = std::max(spec.accumulate, share.pipeline);
  return chosen;
}

class Hunt {
 public:
  Hunt(const ClusterRequest& request, predict::RankRunner& runner,
       const predict::CudaScratch& scratch, const base::CancelToken& cancel)
      : request_(request), runner_(runner), scratch_(scratch), cancel_(cancel) {}

  struct Need {
    bool fits = true;
    std::int64_t needed = 0;
    std::int64_t stage = 0;
  };
  // The need of the fullest stage: the first keeps most micro-batches, the second also receives,
  // the last one has the logits.
  run::Outcome<Need> need(const Share& share) {
    Need need;
    for (std::int64_t stage = 0; stage < share.pipeline; ++stage) {
      if (stage > 1 && stage + 1 < share.pipeline) continue;
      Share one = share;
      one.stage = stage;
      runner_.choose(one);
      base::StringTable strings;
      const spec::WorkloadSpec spec = spec_for(request_.spec, share);
      TS_TRY(const auto run,
             runner_.dry_run(spec, dry_run_options(request_.target), strings, cancel_));
      if (stage == 0 && share.whole()) exchanged_ = exchanged(run);
      const auto answer = predict::predict(run, strings, request_.target,
                                           predict::allocator_settings_of(spec), &scratch_);
      need.fits = need.fits && answer.fit == predict::Fit::fits;
      if (answer.needed <= need.needed) continue;
      need.needed = answer.needed;
      need.stage = stage;
    }
    return need;
  }

  void time(ModeAnswer& answer) const {
    const spec::WorkloadSpec spec = spec_for(request_.spec, *answer.share);
    const auto bound = advice::step_bound(spec, spec.backend, request_.roofs);
    if (!bound) return;
    answer.time = step_time(spec, *answer.share, request_.wiring, bound->seconds, exchanged_,
                            static_cast<double>(spec::bytes_of(spec.dtype)));
    const auto tokens = static_cast<double>(answer.share->ranks * spec::tokens_per_step(spec));
    answer.tokens_per_s = tokens / answer.time->total();
  }

 private:
  const ClusterRequest& request_;
  predict::RankRunner& runner_;
  const predict::CudaScratch& scratch_;
  const base::CancelToken& cancel_;
  // The parameters whose gradients are exchanged, in numbers of the type of the settings: those of
  // adapters are fp32 whatever it is.
  static double exchanged(const predict::DryRun& run) {
    const auto trained = static_cast<double>(run.trained);
    if (!spec::trains_adapters(run.spec)) return trained;
    return trained * 4 / static_cast<double>(spec::bytes_of(run.spec.dtype));
  }

  double exchanged_ = 0;
};

std::string seconds(double value) {
  return text::duration_ns(value * 1e9).joined();
}

}  // namespace

const char* to_string(Mode value) {
  return kModes.at(static_cast<std::size_t>(value));
}

std::optional<Share> share_of(Mode mode, std::int64_t cards, std::int64_t node) {
  const std::int64_t group = group_of(cards, node);
  const std::int64_t rest = cards / group;
  switch (mode) {
    case Mode::data_parallel:
      return Share{.ranks = cards};
    case Mode::zero1:
      return Share{.ranks = cards, .shard = Shard::zero1};
    case Mode::zero2:
      return Share{.ranks = cards, .shard = Shard::zero2};
    case Mode::zero3:
      return Share{.ranks = cards, .shard = Shard::zero3};
    case Mode::tensor:
      if (rest > 1) return std::nullopt;
      return Share{.tensor = cards};
    case Mode::pipeline:
      return Share{.pipeline = cards};
    case Mode::tensor_zero3:
      if (rest == 1 || group == 1) return std::nullopt;
      return Share{.ranks = rest, .shard = Shard::zero3, .tensor = group};
    case Mode::tensor_pipeline:
      if (rest == 1 || group == 1) return std::nullopt;
      return Share{.tensor = group, .pipeline = rest};
  }
  return std::nullopt;
}

base::Result<ClusterRequest> cluster_request(const spec::WorkloadSpec& spec,
                                             const predict::PredictionTarget& target,
                                             const LinkCatalogue& links, const WiringChoice& wiring,
                                             std::int64_t most) {
  if (!target.card) return text::fail("cluster.no_card");
  TS_TRY(auto wired, wiring_of(links, target.card->name, wiring));
  return ClusterRequest{.spec = spec,
                        .target = target,
                        .roofs = report::roofs_of_card(*target.card, spec::compute_type(spec)),
                        .wiring = std::move(wired),
                        .most = most};
}

const ModeAnswer* ClusterAnswer::smallest() const {
  const ModeAnswer* best = nullptr;
  for (const ModeAnswer& one : modes) {
    if (!one.fits) continue;
    if (best == nullptr || one.share->cards() < best->share->cards() ||
        (one.share->cards() == best->share->cards() && one.tokens_per_s > best->tokens_per_s)) {
      best = &one;
    }
  }
  return best;
}

base::Result<ClusterAnswer> hunt_cluster(const ClusterRequest& request, predict::RankRunner& runner,
                                         const predict::CudaScratch& scratch,
                                         const ClusterCallback& told,
                                         const base::CancelToken& cancel) {
  Hunt hunt(request, runner, scratch, cancel);
  ClusterAnswer answer;
  const auto one = hunt.need({});
  if (!one) return tl::unexpected<base::Error>(one.error());
  answer.one_card = one->needed;
  answer.fits_one = one->fits;
  for (int i = 0; i < kModeCount; ++i) {
    ModeAnswer mode{.mode = static_cast<Mode>(i)};
    mode.reason = text::message("cluster.no_form", {{"most", std::to_string(request.most)}});
    for (std::int64_t cards = 2; cards <= request.most && !mode.fits; cards *= 2) {
      const auto share = share_of(mode.mode, cards, request.wiring.node);
      if (!share) continue;
      told(answer, mode.mode, cards);
      const auto need = hunt.need(*share);
      if (cancel.cancelled()) return text::fail("cluster.cancelled");
      if (!need) {  // more cards are no more possible
        if (!mode.share) mode.reason = need.error();
        break;
      }
      mode.share = share;
      mode.fits = need->fits;
      mode.needed = need->needed;
      mode.stage = need->stage;
      // The number of ranks has no influence.
      if (mode.mode == Mode::data_parallel) break;
    }
    if (mode.share) {
      hunt.time(mode);
      mode.reason = {};
    }
    answer.modes.push_back(std::move(mode));
  }
  return answer;
}

base::Message cluster_sentence(const ClusterRequest& request, const ClusterAnswer& answer) {
  const std::string& card = request.target.name;
  if (answer.fits_one) {
    return text::message("cluster.one",
                         {{"card", card}, {"needed", text::bytes(*answer.one_card).joined()}});
  }
  const ModeAnswer* const best = answer.smallest();
  if (best == nullptr) {
    return text::message("cluster.none", {{"card", card}, {"most", std::to_string(request.most)}});
  }
  return text::message(
      "cluster.smallest",
      {{"card", card},
       {"cards", std::to_string(best->share->cards())},
       text::argument("mode", text::message(std::string("cluster.mode.") + to_string(best->mode))),
       {"needed", text::bytes(best->needed).joined()}});
}

io::TextTable cluster_table(const ClusterAnswer& answer, const text::Texts& texts) {
  io::TextTable table;
  for (const char* column : {"mode", "cards", "fits", "needed", "step", "exposed", "tokens"})
    table.columns.push_back(texts(std::string("cluster.column.") + column));
  table.right = {false, true, false, true, true, true, true};
  for (const ModeAnswer& one : answer.modes) {
    std::vector<std::string> row = {texts(std::string("cluster.mode.") + to_string(one.mode))};
    if (!one.share) {
      const base::Message& why = one.reason;
      row.insert(row.end(),
                 {"", why.key.empty() ? why.sentence : texts(why.key, std::span(why.arguments)), "",
                  "", "", ""});
    } else {
      row.push_back(text::grouped(one.share->cards()));
      row.emplace_back(texts(one.fits ? "cluster.fits" : "cluster.oom"));
      row.push_back(text::bytes(one.needed).joined());
      row.push_back(one.time ? seconds(one.time->total()) : "");
      row.push_back(one.time ? seconds(one.time->exposed + one.time->bubble) : "");
      row.push_back(one.time ? text::grouped(static_cast<std::int64_t>(one.tokens_per_s)) : "");
    }
    table.rows.push_back(std::move(row));
  }
  return table;
}

base::Message cluster_note(const ClusterRequest& request) {
  return text::message("cluster.about", {{"inside", request.wiring.inside.name},
                                         {"between", request.wiring.between.name},
                                         {"node", std::to_string(request.wiring.node)}});
}

nlohmann::json to_json(const ClusterRequest& request, const ClusterAnswer& answer) {
  using Json = nlohmann::json;
  const auto link = [](const Link& one) {
    return Json{{"name", one.name},
                {"gb_s", one.gb_s},
                {"latency_us", one.latency_us},
                {"source", one.source}};
  };
  Json modes = Json::array();
  for (const ModeAnswer& one : answer.modes) {
    Json row = {{"mode", to_string(one.mode)},
                {"fits", one.fits},
                {"reason", one.reason.sentence},
                {"share", nullptr}};
    if (one.share) {
      row["share"] = {{"ranks", one.share->ranks},
                      {"shard", to_string(one.share->shard)},
                      {"tensor", one.share->tensor},
                      {"pipeline", one.share->pipeline},
                      {"cards", one.share->cards()}};
      row["needed"] = one.needed;
      row["stage"] = one.stage;
    }
    if (one.time) {
      row["time"] = {{"compute_s", one.time->compute},
                     {"bubble_s", one.time->bubble},
                     {"exposed_s", one.time->exposed},
                     {"step_s", one.time->total()}};
      row["tokens_per_s"] = one.tokens_per_s;
    }
    modes.push_back(std::move(row));
  }
  const ModeAnswer* const best = answer.smallest();
  return {{"target", request.target.name},
          {"memory", request.target.memory},
          {"node", request.wiring.node},
          {"inside", link(request.wiring.inside)},
          {"between", link(request.wiring.between)},
          {"most", request.most},
          {"one_card", {{"needed", *answer.one_card}, {"fits", answer.fits_one}}},
          {"smallest", best == nullptr ? Json(nullptr) : Json(to_string(best->mode))},
          {"sentence", cluster_sentence(request, answer).sentence},
          {"modes", std::move(modes)}};
}

}  // namespace ts::cluster
