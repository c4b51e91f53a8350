#include "core/predict/data_parallel.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <memory>
#include <utility>
#include <vector>

#include "core/predict/prediction.h"

namespace ts::predict {
namespace {

constexpr std::int64_t kUnit = std::int64_t{1} << 20;  // 1 MiB

// A process that has these parameters, and in each of two steps an activation and a gradient for
// each of them, the last parameter's first.
class FakeRunner final : public DryRunner {
 public:
  explicit FakeRunner(std::vector<std::int64_t> parameters, bool all_have_gradients = true)
      : parameters_(std::move(parameters)), all_have_gradients_(all_have_gradients) {}

  run::Outcome<DryRun> dry_run(const spec::WorkloadSpec& spec, const DryRunOptions& options,
                               base::StringTable&, const base::CancelToken&) override {
    run_ = {};
    run_.spec = spec;
    run_.options = options;
    mark(memory::Action::phase_begin, base::Phase::setup);
    for (const std::int64_t bytes : parameters_) own(take(bytes), memory::Category::parameter);
    mark(memory::Action::phase_end, base::Phase::setup);
    std::vector<std::uint64_t> gradients;
    for (step_ = 0; step_ < 2; ++step_) {
      for (const std::uint64_t gradient : gradients) release(gradient);
      gradients.clear();
      mark(memory::Action::phase_begin, base::Phase::forward);
      const std::uint64_t activation = take(kActivation);
      mark(memory::Action::phase_end, base::Phase::forward);
      mark(memory::Action::phase_begin, base::Phase::backward);
      for (std::size_t i = parameters_.size(); i-- > (all_have_gradients_ ? 0U : 1U);) {
        gradients.push_back(take(parameters_[i]));
        own(gradients.back(), memory::Category::gradient);
      }
      release(activation);
      mark(memory::Action::phase_end, base::Phase::backward);
    }
    return std::move(run_);
  }

  static constexpr std::int64_t kActivation = 7 * kUnit;

 private:
  memory::Record next(memory::Action action, std::uint64_t address) {
    memory::Record record;
    record.action = action;
    record.address = address;
    record.step = step_;
    record.phase = phase_;
    record.time_ns = time_ += DryRun::kEventSpacing;
    return record;
  }
  void mark(memory::Action action, base::Phase phase) {
    phase_ = phase;
    run_.log.append(next(action, 0));
    if (action == memory::Action::phase_end) phase_ = base::Phase::idle;
  }
  std::uint64_t take(std::int64_t bytes) {
    memory::Record record = next(memory::Action::alloc, ++address_);
    record.size = bytes;
    run_.log.append(record);
    return address_;
  }
  void release(std::uint64_t address) {
    run_.log.append(next(memory::Action::free_completed, address));
  }
  void own(std::uint64_t address, memory::Category category) {
    memory::Record record = next(memory::Action::owner, address);
    record.category = category;
    run_.log.append(record);
  }

  const std::vector<std::int64_t> parameters_;
  const bool all_have_gradients_;
  DryRun run_;
  base::Phase phase_ = base::Phase::setup;
  std::int32_t step_ = -1;
  std::int64_t time_ = 0;
  std::uint64_t address_ = 0;
};

run::Outcome<DryRun> rank_of(FakeRunner single, spec::Pass pass = spec::Pass::full_step) {
  spec::WorkloadSpec spec;
  spec.pass = pass;
  base::StringTable strings;
  return data_parallel(std::make_unique<FakeRunner>(std::move(single)))
      ->dry_run(spec, {}, strings, {});
}

// The blocks of the reducer that are live after an event.
std::vector<std::int64_t> buckets_after(const memory::AllocationLog& log, std::size_t event) {
  std::vector<std::int64_t> sizes;
  for (const memory::BlockIndex index : log.live_after(static_cast<memory::EventIndex>(event))) {
    const memory::Block& block = log.blocks()[index];
    if (block.address >> 62 == 1) sizes.push_back(block.size);
  }
  return sizes;
}

using Sizes = std::vector<std::int64_t>;

// Held against c10d::compute_bucket_assignment_by_size by tests/record/data_parallel.py.
TEST(BucketSizes, EndWithTheTensorThatReachesTheLimit) {
  EXPECT_EQ(bucket_sizes(Sizes{}, 10, 25), Sizes{});
  EXPECT_EQ(bucket_sizes(Sizes{4, 4, 4, 30, 5, 20, 3}, 10, 25), (Sizes{12, 30, 25, 3}));
  EXPECT_EQ(bucket_sizes(Sizes{100}, 10, 25), Sizes{100});
}

TEST(DataParallelRank, HoldsEveryGradientTwice) {
  const Sizes parameters = {3 * kUnit, 30 * kUnit, kUnit / 2, kUnit};
  const std::int64_t all = 34 * kUnit + kUnit / 2;
  const auto rank = rank_of(FakeRunner(parameters));
  ASSERT_TRUE(rank);
  // Parameters, gradients and buckets; the activation is live until the last gradient is made.
  EXPECT_EQ(rank->log.peak_bytes(), 3 * all + FakeRunner::kActivation);
  EXPECT_EQ(rank->log.unmatched_frees(), 0);
  EXPECT_EQ(rank->log.missed_frees(), 0);
  const auto events = rank->log.events();
  EXPECT_EQ(buckets_after(rank->log, events.size() - 1),
            (Sizes{kUnit, 30 * kUnit + kUnit / 2, 3 * kUnit}));
  EXPECT_EQ(buckets_of(*rank), buckets_after(rank->log, events.size() - 1));
  for (const memory::PhaseSpan& span : rank->log.phases()) {
    if (span.phase != base::Phase::forward) continue;
    // The first step begins with one bucket, the second with one that it frees.
    EXPECT_EQ(buckets_after(rank->log, span.first_event - 1), Sizes{all}) << span.step;
  }
}

TEST(DataParallelRank, BroadcastsParametersThroughAtMostTwoCopies) {
  const std::int64_t large = 200 * kUnit;
  const auto rank = rank_of(FakeRunner(Sizes(6, large)));
  ASSERT_TRUE(rank);
  std::int64_t most = 0;
  for (const memory::Event& event : rank->log.events()) {
    if (rank->log.blocks()[event.block].step < 0) most = std::max(most, event.total_after);
  }
  EXPECT_EQ(most, 6 * large + std::max(2 * 2 * large, 6 * large));
}

TEST(DataParallelRank, KeepsPhasesAndCategoriesOfTheProcess) {
  const auto rank = rank_of(FakeRunner({kUnit, kUnit}));
  ASSERT_TRUE(rank);
  std::vector<std::pair<std::int32_t, base::Phase>> phases;
  for (const memory::PhaseSpan& span : rank->log.phases()) {
    EXPECT_LE(span.first_event, span.end_event);
    phases.emplace_back(span.step, span.phase);
    for (memory::EventIndex i = span.first_event; i < span.end_event; ++i) {
      const memory::Event& event = rank->log.events()[i];
      const memory::Block& block = rank->log.blocks()[event.block];
      if (event.action == memory::Action::alloc) {
        EXPECT_EQ(block.phase, span.phase);
      }
    }
  }
  using base::Phase;
  EXPECT_EQ(phases, (std::vector<std::pair<std::int32_t, Phase>>{{-1, Phase::setup},
                                                                 {0, Phase::forward},
                                                                 {0, Phase::backward},
                                                                 {1, Phase::forward},
                                                                 {1, Phase::backward}}));
  const auto at_end =
      rank->log.by_category_after(static_cast<memory::EventIndex>(rank->log.events().size() - 1));
  EXPECT_EQ(at_end[static_cast<std::size_t>(memory::Category::parameter)], 2 * kUnit);
  EXPECT_EQ(at_end[static_cast<std::size_t>(memory::Category::gradient)], 4 * kUnit);
}

TEST(DataParallelRank, RefusesWhatRanksCannotExchange) {
  EXPECT_FALSE(rank_of(FakeRunner({kUnit}), spec::Pass::forward));
  EXPECT_FALSE(rank_of(FakeRunner({})));
  EXPECT_FALSE(rank_of(FakeRunner({2 * kUnit, kUnit}, false)));
}

}  // namespace
}  // namespace ts::predict
