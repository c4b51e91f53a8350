// Data-parallel steps: every rank computes a forward and a backward; gradients are exchanged in
// buckets while the backward goes on.
//
// Assumed: the layers are equal, and so are the tensors of a layer; gradients become ready at even
// distances from the last layer to the first. A bucket is closed by the tensor that makes it as
// large as its limit; the first bucket has a limit of its own, so that the exchange starts early.
// One bucket is exchanged at a time, and not before the slowest rank has it. The ring moves
// 2 (n - 1) / n of the bytes in 2 (n - 1) hops (Patarasuk and Yuan 2009) over the slowest link; the
// hierarchical exchange sums inside the nodes first, then one share a rank between the nodes. The
// compute time of a rank has a normal distribution, new in each step.
#include <algorithm>
#include <cmath>
#include <random>

#include "core/simulate/simulation.h"

namespace ts::simulate {
namespace {

constexpr double kMiB = 1024.0 * 1024.0;
constexpr std::int64_t kShownRanks = 8;
constexpr double kFastest = 0.2;  // of the mean: no rank computes in no time

struct Bucket {
  double bytes = 0;
  double ready = 0;  // share of the backward after which the last tensor of it is there
};

std::vector<Bucket> buckets_of(const calculate::Chosen& chosen) {
  const auto tensors = chosen.number("layers") * chosen.number("tensors");
  const double all = chosen.real("params") * chosen.real("gradient_bytes");
  const double each = all / static_cast<double>(tensors);
  std::vector<Bucket> buckets;
  Bucket open;
  for (std::int64_t i = 0; i < tensors; ++i) {
    open.bytes += each;
    open.ready = static_cast<double>(i + 1) / static_cast<double>(tensors);
    const double limit =
        buckets.empty() ? chosen.real("first_bucket_kib") * 1024 : chosen.real("bucket_mib") * kMiB;
    if (open.bytes < limit && i + 1 < tensors) continue;
    buckets.push_back(open);
    open = {};
  }
  return buckets;
}

// Seconds of the ring over n ranks.
double ring(double bytes, double n, double gigabytes_per_second, double hop_us) {
  return 2 * (n - 1) / n * bytes / (gigabytes_per_second * 1e9) + 2 * (n - 1) * hop_us * 1e-6;
}

double exchange(double bytes, const calculate::Chosen& chosen) {
  const double ranks = chosen.real("ranks");
  const double in_node = std::min(chosen.real("node_ranks"), ranks);
  const double nodes = std::ceil(ranks / in_node);
  const double fast = chosen.real("node_gbs");
  const double slow = chosen.real("link_gbs");
  if (nodes <= 1) return ring(bytes, ranks, fast, chosen.real("node_us"));
  if (chosen.number("hierarchical") == 0) {
    return ring(bytes, ranks, std::min(fast, slow),
                std::max(chosen.real("node_us"), chosen.real("link_us")));
  }
  return ring(bytes, in_node, fast, chosen.real("node_us")) +
         ring(bytes / in_node, nodes, slow, chosen.real("link_us"));
}

struct Step {
  double slowest = 1;  // times the mean compute time
  double mean = 1;
  double end = 0;             // seconds
  std::vector<double> begin;  // of each bucket's exchange
};

class DataParallel {
 public:
  explicit DataParallel(const calculate::Chosen& chosen)
      : buckets_(buckets_of(chosen)),
        ranks_(chosen.number("ranks")),
        forward_(chosen.real("forward_ms") * 1e-3),
        backward_(chosen.real("backward_ms") * 1e-3),
        spread_(chosen.real("spread_percent") / 100),
        random_(static_cast<std::uint64_t>(chosen.number("seed"))) {
    for (const Bucket& bucket : buckets_) durations_.push_back(exchange(bucket.bytes, chosen));
  }

  Outcome run(std::int64_t steps) {
    std::vector<double> ends;
    double mean = 0;
    double slowest = 0;
    Outcome outcome;
    for (std::int64_t i = 0; i < steps; ++i) {
      const Step step = next();
      if (i == 0) draw(step, outcome);
      ends.push_back(step.end);
      mean += step.mean;
      slowest += step.slowest;
    }
    const auto count = static_cast<double>(steps);
    const double compute = forward_ + backward_;
    double time = 0;
    for (const double end : ends) time += end / count;
    double communication = 0;
    for (const double duration : durations_) communication += duration;
    std::ranges::sort(ends);
    const double at_slowest = compute * slowest / count;
    using enum calculate::Unit;
    outcome.figures = {
        {"step_time", time, seconds},
        {"step_p95", ends[static_cast<std::size_t>(std::ceil(0.95 * count)) - 1], seconds},
        {"compute", compute * mean / count, seconds},
        {"wait_slowest", at_slowest - compute * mean / count, seconds},
        {"communication", communication, seconds},
        {"exposed", time - at_slowest, seconds},
        {"overlapped", communication > 0 ? 1 - (time - at_slowest) / communication : 0, share},
        {"efficiency", compute / time, share},
        {"buckets", static_cast<double>(buckets_.size()), number},
    };
    return outcome;
  }

 private:
  Step next() {
    Step step;
    factors_.clear();
    std::normal_distribution<double> normal(1, std::max(spread_, 1e-300));
    double sum = 0;
    step.slowest = 0;
    for (std::int64_t rank = 0; rank < ranks_; ++rank) {
      const double factor = spread_ > 0 ? std::max(kFastest, normal(random_)) : 1;
      sum += factor;
      step.slowest = std::max(step.slowest, factor);
      if (rank < kShownRanks) factors_.push_back(factor);
    }
    step.mean = sum / static_cast<double>(ranks_);
    double free = 0;  // when the last exchange ended
    for (std::size_t i = 0; i < buckets_.size(); ++i) {
      const double ready = step.slowest * (forward_ + backward_ * buckets_[i].ready);
      step.begin.push_back(std::max(free, ready));
      free = step.begin.back() + durations_[i];
    }
    step.end = std::max(free, step.slowest * (forward_ + backward_));
    return step;
  }

  void draw(const Step& step, Outcome& outcome) const {
    using Kind = Interval::Kind;
    for (std::size_t rank = 0; rank < factors_.size(); ++rank) {
      const std::string process = "rank " + std::to_string(rank);
      const std::size_t lane = outcome.lanes.size();
      outcome.lanes.push_back({process, "compute"});
      outcome.lanes.push_back({process, "communication"});
      const double forward = forward_ * factors_[rank];
      const double end = forward + backward_ * factors_[rank];
      outcome.timeline.push_back(
          {.lane = lane, .name = "forward", .begin = 0, .end = forward, .kind = Kind::compute});
      outcome.timeline.push_back(
          {.lane = lane, .name = "backward", .begin = forward, .end = end, .kind = Kind::compute});
      if (end < step.end)
        outcome.timeline.push_back(
            {.lane = lane, .name = "waits", .begin = end, .end = step.end, .kind = Kind::waiting});
      if (ranks_ == 1) continue;
      for (std::size_t i = 0; i < buckets_.size(); ++i) {
        outcome.timeline.push_back({.lane = lane + 1,
                                    .name = "bucket " + std::to_string(i + 1),
                                    .begin = step.begin[i],
                                    .end = step.begin[i] + durations_[i],
                                    .kind = Kind::communication});
      }
    }
  }

  std::vector<Bucket> buckets_;
  std::vector<double> durations_;  // seconds of each bucket's exchange
  std::int64_t ranks_;
  double forward_;
  double backward_;
  double spread_;
  std::mt19937_64 random_;
  std::vector<double> factors_;  // of the first ranks in the last step
};

}  // namespace

Simulation data_parallel() {
  return {.id = "data_parallel",
          .inputs =
              {{.name = "params", .start = 7'000'000'000, .least = 1, .most = 100'000'000'000'000},
               {.name = "layers", .start = 32, .least = 1, .most = 1000},
               {.name = "tensors", .start = 7, .least = 1, .most = 100},
               {.name = "gradient_bytes", .start = 2, .least = 1, .most = 8},
               {.name = "first_bucket_kib",
                .unit = "KiB",
                .start = 1024,
                .least = 1,
                .most = 1'000'000'000},
               {.name = "bucket_mib", .unit = "MiB", .start = 25, .least = 1, .most = 100'000'000},
               {.name = "ranks", .start = 64, .least = 1, .most = 16'384},
               {.name = "node_ranks", .start = 8, .least = 1, .most = 1024},
               {.name = "node_gbs", .unit = "GB/s", .start = 300, .least = 1, .most = 100'000},
               {.name = "node_us", .unit = "\xc2\xb5s", .start = 3, .least = 0, .most = 1'000'000},
               {.name = "link_gbs", .unit = "GB/s", .start = 25, .least = 1, .most = 100'000},
               {.name = "link_us", .unit = "\xc2\xb5s", .start = 5, .least = 0, .most = 1'000'000},
               {.name = "hierarchical", .start = 1, .least = 0, .most = 1},
               {.name = "forward_ms", .unit = "ms", .start = 200, .least = 1, .most = 1'000'000},
               {.name = "backward_ms", .unit = "ms", .start = 400, .least = 1, .most = 1'000'000},
               {.name = "spread_percent", .unit = "%", .start = 2, .least = 0, .most = 50},
               {.name = "steps", .start = 50, .least = 1, .most = 1000},
               {.name = "seed", .start = 0, .least = 0, .most = 1'000'000'000}},
          .run = [](const calculate::Chosen& chosen) {
            return DataParallel(chosen).run(chosen.number("steps"));
          }};
}

}  // namespace ts::simulate
