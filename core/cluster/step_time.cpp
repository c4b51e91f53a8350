#include "core/cluster/step_time.h"

#include <algorithm>
#include <utility>

#include "core/predict/data_parallel.h"
#include "core/spec/workload_math.h"

namespace ts::cluster {
namespace {

using predict::Shard;

// The time of the buckets that is left after the backward has ended.
double exposed_buckets(double all, double ranks, const Link& link, double forward,
                       double backward) {
  double free = 0;
  double done = 0;
  for (double limit = predict::kFirstBucketBytes; done < all; limit = predict::kBucketBytes) {
    const double bytes = std::min(limit, all - done);
    done += bytes;
    free = std::max(free, forward + backward * done / all) + all_reduce_s(bytes, ranks, link);
  }
  return std::max(0.0, free - forward - backward);
}

double exposed_by_blocks(const predict::Share& share, double all, double blocks, const Link& link,
                         double forward, double backward) {
  const auto ranks = static_cast<double>(share.ranks);
  const double one = gather_s(all / blocks, ranks, link);
  const double in_backward = share.shard == Shard::zero3 ? 2 * one : one;
  return one + (blocks - 1) * std::max(0.0, one - forward / blocks) +  //
         one + (blocks - 1) * std::max(0.0, in_backward - backward / blocks);
}

}  // namespace

base::Result<Wiring> wiring_of(const LinkCatalogue& links, const std::string& card,
                               const WiringChoice& choice) {
  Wiring wiring{.node = choice.node, .inside = links.of_card(card), .between = links.network()};
  struct Chosen {
    const std::string& name;
    Link& link;
  };
  for (const Chosen& one :
       {Chosen{choice.inside, wiring.inside}, {choice.between, wiring.between}}) {
    if (one.name.empty()) continue;
    TS_TRY(one.link, links.require(one.name));
  }
  wiring.between.gb_s = std::min(wiring.between.gb_s, wiring.inside.gb_s);
  return wiring;
}

StepTime step_time(const spec::WorkloadSpec& spec, const predict::Share& share,
                   const Wiring& wiring, double compute_s, double parameters, double bytes) {
  StepTime time;
  const auto ways = static_cast<double>(share.tensor);
  const auto stages = static_cast<double>(share.pipeline);
  const auto batches = static_cast<double>(spec::micro_batches(spec));
  const double layers = std::max<double>(1, static_cast<double>(spec.layers) / stages);
  const double stream = static_cast<double>(spec.batch * spec.seq_len * spec.d_model) * bytes;
  time.compute = compute_s / (ways * stages);

  if (share.tensor > 1) {
    const Link& link = share.tensor <= wiring.node ? wiring.inside : wiring.between;
    time.exposed += 4 * layers * batches * all_reduce_s(stream, ways, link);
  }
  const double of_stage = time.compute + time.exposed;
  if (share.pipeline > 1) {
    time.bubble = of_stage * (stages - 1) / batches;
    const Link& link = share.cards() <= wiring.node ? wiring.inside : wiring.between;
    time.exposed += 2 * (stages - 1) * (stream / (link.gb_s * 1e9) + link.latency_us * 1e-6);
  }
  if (share.ranks > 1) {
    const Link& link = share.tensor * share.ranks <= wiring.node ? wiring.inside : wiring.between;
    const double all = parameters * bytes / (ways * stages);
    const double forward = time.compute / 3;
    const double backward = time.compute - forward;
    const auto ranks = static_cast<double>(share.ranks);
    if (share.shards_gradients()) {
      // Each micro-batch gathers and reduces.
      time.exposed += batches * exposed_by_blocks(share, all, layers, link, forward / batches,
                                                  backward / batches);
    } else {
      // Gradients of the last micro-batch are exchanged.
      time.exposed += exposed_buckets(all, ranks, link, forward / batches, backward / batches);
    }
    if (share.shard == Shard::zero1) {
      time.exposed += all / (link.gb_s * 1e9) + (ranks - 1) * link.latency_us * 1e-6;
    }
  }
  return time;
}

}  // namespace ts::cluster
