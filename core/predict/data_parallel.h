#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "core/predict/dry_run.h"

namespace ts::predict {

// The memory of one rank of PyTorch's DistributedDataParallel (torch 2.11, its default arguments),
// derived from the dry run of a single process. The number of ranks has no influence on it.
//
// DistributedDataParallel adds, besides what the step itself allocates:
//   set-up   the parameters are broadcast: at most two flat copies of about 250 MiB at a time. Then
//            one bucket as large as all gradients.
//   step 1   before the forward the bucket is freed, and the gradients get new buckets in the order
//            in which the first backward made them: 1 MiB first, then 25 MiB each. A bucket ends
//            with the gradient that reaches its size.
// Gradients are copied into the buckets, so they exist twice from then on. Left out: tensors of a
// few hundred bytes by which ranks agree on shapes and buckets, and on the CPU a scalar of 12 bytes
// while a gradient is copied.

inline constexpr std::int64_t kBroadcastBytes = std::int64_t{250} << 20;
inline constexpr std::int64_t kFirstBucketBytes = std::int64_t{1} << 20;
inline constexpr std::int64_t kBucketBytes = std::int64_t{25} << 20;

// The sizes of the buckets, as c10d::compute_bucket_assignment_by_size makes them for tensors of
// one type: each ends with the tensor that reaches its limit. The first limit holds for the first
// bucket, the second for all others. Bytes.
std::vector<std::int64_t> bucket_sizes(std::span<const std::int64_t> tensors, std::int64_t first,
                                       std::int64_t others);

// A dry runner whose runs are those of a rank, whatever the share in its options: what the share
// leaves of the step, and where gradients are not sharded the buckets. Fails for a share that the
// step cannot have, and with buckets for a step without a backward, without parameters, or one in
// which a parameter gets no gradient, which the default arguments refuse.
class RankRunner final : public DryRunner {
 public:
  RankRunner(std::unique_ptr<DryRunner> single, const Share& share)
      : single_(std::move(single)), share_(share) {}
  // For the runs from here on.
  void choose(const Share& share) { share_ = share; }
  run::Outcome<DryRun> dry_run(const spec::WorkloadSpec& spec, const DryRunOptions& options,
                               base::StringTable& strings,
                               const base::CancelToken& cancel) override;

 private:
  std::unique_ptr<DryRunner> single_;
  Share share_;
};

// The sizes of the buckets at the end of a rank's run, in their order. Bytes.
std::vector<std::int64_t> buckets_of(const DryRun& rank);

inline std::unique_ptr<DryRunner> data_parallel(std::unique_ptr<DryRunner> single) {
  return std::make_unique<RankRunner>(std::move(single), Share{.ranks = 2});
}

}  // namespace ts::predict
