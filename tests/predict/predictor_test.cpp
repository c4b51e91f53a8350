#include "core/predict/predictor.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <thread>

#include "core/spec/size_steps.h"

namespace ts::predict {
namespace {

using namespace std::chrono_literals;

constexpr std::int64_t kMiB = std::int64_t{1} << 20;

// Takes one block of B * T MiB, three times that with naive attention; T = 777 cannot be told.
class FakeDryRunner final : public DryRunner {
 public:
  explicit FakeDryRunner(std::atomic<int>& calls) : calls_(calls) {}
  run::Outcome<DryRun> dry_run(const spec::WorkloadSpec& spec, const DryRunOptions& options,
                               base::StringTable& strings,
                               const base::CancelToken& cancel) override {
    ++calls_;
    if (cancel.cancelled()) return failed(run::Verdict::cancelled, "Cancelled");
    if (spec.seq_len == 777) return failed(run::Verdict::failed, "777 is not to be told");
    if (slow) {
      const auto deadline = std::chrono::steady_clock::now() + 60s;
      while (!cancel.cancelled() && std::chrono::steady_clock::now() < deadline)
        std::this_thread::sleep_for(1ms);
      EXPECT_TRUE(cancel.cancelled()) << "nobody broke off what would not end";
      return failed(run::Verdict::cancelled, "Cancelled");
    }
    DryRun run;
    run.spec = spec;
    run.options = options;
    memory::Record record;
    record.time_ns = DryRun::kEventSpacing;
    record.address = 1;
    record.size = spec.batch * spec.seq_len * kMiB;
    if (spec.backend == spec::AttentionBackend::naive) record.size *= 3;
    record.op = strings.intern("aten::empty");
    run.log.append(record);
    return run;
  }

  static std::atomic<bool> slow;

 private:
  static tl::unexpected<run::Failure> failed(run::Verdict verdict, const char* sentence) {
    run::Failure failure;
    failure.verdict = verdict;
    failure.sentence = sentence;
    return tl::unexpected(std::move(failure));
  }
  std::atomic<int>& calls_;
};
std::atomic<bool> FakeDryRunner::slow{false};

class PredictorTest : public ::testing::Test {
 protected:
  PredictorTest() {
    FakeDryRunner::slow = false;
    request.spec.batch = 1;
    request.spec.seq_len = 64;
    request.spec.backend = spec::AttentionBackend::flash;
    request.spec.dtype = spec::DataType::bf16;  // as flash wants it on a card
    request.target.name = "a card";
    request.target.memory = 1000 * kMiB;
    request.own = cpu_target("a limit", 10'000 * kMiB);
    request.sizes = {spec::Field::T};
  }

  HuntRequest hunt_request() const {
    HuntRequest asked;
    asked.spec = request.spec;
    asked.x = {spec::Field::T, 8, 4096};
    asked.y = {spec::Field::B, 1, 512};
    asked.cells_per_axis = 10;
    asked.target = request.target;
    return asked;
  }
  static std::shared_ptr<const HuntProgress> hunted(Predictor& predictor) {
    while (predictor.hunt_busy()) std::this_thread::sleep_for(1ms);
    return predictor.hunted();
  }

  std::unique_ptr<Predictor> make() {
    return std::make_unique<Predictor>(
        [this]() -> base::Result<std::unique_ptr<DryRunner>> {
          return std::make_unique<FakeDryRunner>(calls);
        },
        strings);
  }
  static std::shared_ptr<const Outlook> complete(Predictor& predictor) {
    while (predictor.busy()) std::this_thread::sleep_for(1ms);
    return predictor.latest();
  }
  std::shared_ptr<const Outlook> outlook_of(const OutlookRequest& asked) {
    const auto predictor = make();
    predictor->ask(asked);
    return complete(*predictor);
  }

  std::atomic<int> calls{0};
  base::StringTable strings;
  OutlookRequest request;
};

TEST_F(PredictorTest, what_a_drag_comes_to_is_there_before_it_is_asked_for) {
  request.spec.seq_len = 256;
  request.sizes = {};
  const auto predictor = make();
  predictor->ask(request);
  complete(*predictor);
  request.spec.seq_len = 288;
  predictor->ask(request);
  complete(*predictor);
  request.spec.seq_len = 320;
  // A runner that would never end: the forecast was made before it was asked for.
  FakeDryRunner::slow = true;
  const auto id = predictor->ask(request);
  const auto outlook = predictor->latest_by(std::chrono::steady_clock::now() + 5s);
  ASSERT_NE(outlook, nullptr);
  EXPECT_EQ(outlook->id, id);
  ASSERT_NE(outlook->target, nullptr);
  EXPECT_EQ(outlook->target->prediction.peak_requested, 320 * kMiB);
  FakeDryRunner::slow = false;
}

TEST_F(PredictorTest, tells_of_the_card_and_of_this_machine) {
  const auto outlook = outlook_of(request);
  ASSERT_NE(outlook, nullptr);
  EXPECT_TRUE(outlook->complete);
  ASSERT_NE(outlook->target, nullptr);
  EXPECT_EQ(outlook->target->run.log.peak_bytes(), 64 * kMiB);
  EXPECT_EQ(outlook->target->run.options.rules, spec::DeviceKind::cuda);
  EXPECT_EQ(outlook->target->prediction.fit, Fit::fits);
  ASSERT_NE(outlook->own, nullptr);
  EXPECT_EQ(outlook->own->run.options.rules, spec::DeviceKind::cpu);
  EXPECT_EQ(outlook->own->run.spec, request.spec);
  EXPECT_NE(outlook->own->id, outlook->target->id);
}

TEST_F(PredictorTest, tells_what_every_backend_needs) {
  const auto outlook = outlook_of(request);
  ASSERT_NE(outlook, nullptr);
  ASSERT_FALSE(outlook->backends.empty());
  for (const BackendNeed& need : outlook->backends) {
    if (!need.unavailable.sentence.empty()) continue;
    const std::int64_t factor = need.backend == spec::AttentionBackend::naive ? 3 : 1;
    EXPECT_GE(need.needed, 64 * kMiB * factor) << to_string(need.backend);
    EXPECT_LT(need.needed, 64 * kMiB * factor + 64 * kMiB) << to_string(need.backend);
  }
}

// First size of the slider above what the card holds, found by trying them all.
std::int64_t first_above(std::int64_t units, std::int64_t capacity) {
  std::int64_t size = 1;
  while (size * units <= capacity) size = spec::next_size(size);
  return size;
}

TEST_F(PredictorTest, finds_where_a_size_stops_to_fit_from_both_sides) {
  for (const std::int64_t start : {1, 64, 900, 1000, 1100, 5000, 60'000}) {
    request.spec.seq_len = start;
    const auto outlook = outlook_of(request);
    ASSERT_NE(outlook, nullptr);
    const SizeEdge* edge = outlook->edge(spec::Field::T);
    ASSERT_NE(edge, nullptr) << start;
    ASSERT_TRUE(edge->first_too_large.has_value()) << start;
    EXPECT_EQ(*edge->first_too_large, first_above(1, 1000)) << start;
  }
}

// The slider goes in steps; the sentence names the largest of all numbers.
TEST_F(PredictorTest, finds_the_largest_length_that_fits) {
  for (const std::int64_t start : {64, 5000}) {
    request.spec.seq_len = start;
    const auto outlook = outlook_of(request);
    const SizeEdge* const edge = outlook->edge(spec::Field::T);
    ASSERT_NE(edge, nullptr) << start;
    ASSERT_TRUE(edge->exact.has_value()) << start;
    EXPECT_EQ(edge->exact->largest(), 1000) << start;
    EXPECT_TRUE(edge->exact->again.empty()) << start;
  }
}

TEST_F(PredictorTest, says_when_nothing_is_too_large_and_when_everything_is) {
  request.target.memory = std::int64_t{1} << 60;
  auto outlook = outlook_of(request);
  ASSERT_NE(outlook->edge(spec::Field::T), nullptr);
  EXPECT_FALSE(outlook->edge(spec::Field::T)->first_too_large.has_value());
  request.target.memory = kMiB / 2;
  outlook = outlook_of(request);
  ASSERT_NE(outlook->edge(spec::Field::T), nullptr);
  EXPECT_EQ(outlook->edge(spec::Field::T)->first_too_large, 1);
}

TEST_F(PredictorTest, the_search_is_short) {
  outlook_of(request);
  // Target, own, backends, and a bisection of the 129 sizes up to 65,536 from near the edge.
  EXPECT_LT(calls.load(), 30);
}

TEST_F(PredictorTest, an_impossible_specification_is_a_problem_without_a_dry_run) {
  request.spec.seq_len = 0;
  const auto outlook = outlook_of(request);
  ASSERT_NE(outlook, nullptr);
  EXPECT_FALSE(outlook->problem.sentence.empty());
  EXPECT_EQ(outlook->target, nullptr);
  EXPECT_EQ(calls.load(), 0);
}

TEST_F(PredictorTest, what_only_the_card_can_run_is_predicted_for_it) {
  request.spec.backend = spec::AttentionBackend::efficient;
  const auto outlook = outlook_of(request);
  ASSERT_NE(outlook->target, nullptr);
  EXPECT_TRUE(outlook->problem.sentence.empty());
  EXPECT_EQ(outlook->not_here.key, "spec.error.backend_cuda");
  EXPECT_EQ(outlook->own, nullptr) << "nothing can be measured here";
  EXPECT_FALSE(outlook->repairs.empty());
  EXPECT_NE(outlook->edge(spec::Field::T), nullptr);
}

TEST_F(PredictorTest, a_dry_run_that_fails_says_why) {
  request.spec.seq_len = 777;
  const auto outlook = outlook_of(request);
  ASSERT_NE(outlook, nullptr);
  EXPECT_EQ(outlook->problem.sentence, "777 is not to be told");
  EXPECT_EQ(outlook->target, nullptr);
  EXPECT_TRUE(outlook->complete);
}

TEST_F(PredictorTest, a_loader_that_fails_says_why) {
  Predictor predictor(
      []() -> base::Result<std::unique_ptr<DryRunner>> {
        return base::fail("there is no LibTorch");
      },
      strings);
  predictor.ask(request);
  const auto outlook = complete(predictor);
  ASSERT_NE(outlook, nullptr);
  EXPECT_EQ(outlook->problem.sentence, "there is no LibTorch");
}

TEST_F(PredictorTest, the_newest_request_wins_and_old_parts_are_marked) {
  const auto predictor = make();
  predictor->ask(request);
  ASSERT_NE(complete(*predictor), nullptr);
  FakeDryRunner::slow = true;
  predictor->ask(request);
  std::this_thread::sleep_for(5ms);
  FakeDryRunner::slow = false;
  request.spec.seq_len = 128;
  const std::uint64_t last = predictor->ask(request);
  const auto outlook = predictor->latest_by(std::chrono::steady_clock::now() + 2s);
  ASSERT_NE(outlook, nullptr);
  EXPECT_EQ(outlook->id, last);
  EXPECT_EQ(outlook->spec.seq_len, 128);
  EXPECT_NE(outlook->edge(spec::Field::T),
            nullptr);  // of the first request, until it is found anew
  EXPECT_TRUE(complete(*predictor)->edge(spec::Field::T)->current);
}

TEST_F(PredictorTest, the_edge_of_a_size_stays_known_while_that_size_is_dragged) {
  const auto predictor = make();
  predictor->ask(request);
  ASSERT_TRUE(complete(*predictor)->edge(spec::Field::T)->current);
  // The first to come of the answer, before anything but the card was looked at again.
  const auto first = [&] {
    predictor->ask(request);
    return predictor->latest_by(std::chrono::steady_clock::now() + 2s);
  };
  request.spec.seq_len = 128;
  EXPECT_TRUE(first()->edge(spec::Field::T)->current);
  request.spec.seq_len = 256;
  EXPECT_TRUE(first()->edge(spec::Field::T)->current) << "dragged on before the search began";
}

TEST_F(PredictorTest, waiting_has_an_end) {
  FakeDryRunner::slow = true;
  const auto predictor = make();
  predictor->ask(request);
  const auto begin = std::chrono::steady_clock::now();
  EXPECT_EQ(predictor->latest_by(std::chrono::steady_clock::now() + 20ms), nullptr);
  EXPECT_LT(std::chrono::steady_clock::now() - begin, 2s);
}

TEST_F(PredictorTest, ends_at_any_moment) {
  for (int i = 0; i < 50; ++i) {
    FakeDryRunner::slow = i % 2 == 0;
    const auto predictor = make();
    if (i % 3 != 0) predictor->ask(request);
    if (i % 5 == 0) std::this_thread::sleep_for(1ms);
  }
}

// The loader runs after the thread woke and before there is anything to cancel.
TEST_F(PredictorTest, ends_while_it_takes_up_what_was_asked_for) {
  FakeDryRunner::slow = true;
  for (const bool hunts : {false, true}) {
    std::atomic<bool> loading{false};
    auto predictor = std::make_unique<Predictor>(
        [&]() -> base::Result<std::unique_ptr<DryRunner>> {
          loading = true;
          std::this_thread::sleep_for(50ms);
          return std::make_unique<FakeDryRunner>(calls);
        },
        strings);
    hunts ? predictor->hunt(hunt_request()) : static_cast<void>(predictor->ask(request));
    while (!loading) std::this_thread::sleep_for(1ms);
    predictor.reset();
  }
}

TEST_F(PredictorTest, HuntsProbeByProbeBesideOutlooks) {
  const auto predictor = make();
  EXPECT_EQ(predictor->hunted(), nullptr);
  predictor->hunt(hunt_request());
  request.spec.seq_len = 128;
  predictor->ask(request);  // in between
  EXPECT_EQ(complete(*predictor)->target->prediction.peak_requested, 128 * kMiB);
  const auto found = hunted(*predictor);
  EXPECT_EQ(found->id, 1U);
  EXPECT_TRUE(found->problem.empty());
  EXPECT_TRUE(found->frontier_after.has_value());
  EXPECT_EQ(found->map.count(CellState::probed), 100U) << "first the frontier, then every cell";
  for (std::size_t i = 0; i < found->map.size(); ++i) {
    const spec::WorkloadSpec spec = found->map.spec_of(i);
    EXPECT_EQ(found->map.cell(i).fit == Fit::oom, spec.batch * spec.seq_len > 1000) << i;
  }
}

TEST_F(PredictorTest, AHuntFindsTheExactEdge) {
  const auto predictor = make();
  HuntRequest asked = hunt_request();
  asked.spec.batch = 3;
  asked.x = {spec::Field::T, 8, 700};
  predictor->hunt(asked);
  const auto found = hunted(*predictor);
  ASSERT_TRUE(found->exact.has_value());
  EXPECT_EQ(found->exact->y, 3);
  EXPECT_EQ(found->exact->edge.fits, 333);  // 3 * 333 MiB of 1,000
  EXPECT_EQ(found->exact->edge.oom, 334);
}

// Nothing of the map is asked again.
TEST_F(PredictorTest, AHuntFindsTheExactEdgeOfAnotherRow) {
  const auto predictor = make();
  HuntRequest asked = hunt_request();
  predictor->hunt(asked);
  const auto before = hunted(*predictor);
  ASSERT_TRUE(before->exact.has_value());
  calls = 0;
  asked.row = 4;
  predictor->hunt(asked);
  const auto found = hunted(*predictor);
  ASSERT_TRUE(found->exact.has_value());
  EXPECT_EQ(found->exact->y, 4);
  EXPECT_EQ(found->exact->edge.fits, 250);
  EXPECT_EQ(found->map.log().size(), before->map.log().size());
  EXPECT_EQ(static_cast<std::size_t>(calls), found->exact->edge.probes.size());
}

TEST_F(PredictorTest, AHuntHasASecondFrontier) {
  const auto predictor = make();
  HuntRequest asked = hunt_request();
  asked.other = asked.spec;
  asked.other->backend = spec::AttentionBackend::naive;  // three times the memory
  predictor->hunt(asked);
  const auto found = hunted(*predictor);
  ASSERT_TRUE(found->other.has_value());
  EXPECT_EQ(found->other->count(CellState::unknown), 0U);
  EXPECT_LT(found->other->log().size(), found->other->size()) << "only its frontier is asked";
  for (std::size_t i = 0; i < found->other->size(); ++i) {
    const spec::WorkloadSpec spec = found->other->spec_of(i);
    EXPECT_EQ(spec.backend, spec::AttentionBackend::naive);
    EXPECT_EQ(found->other->cell(i).fit == Fit::oom, 3 * spec.batch * spec.seq_len > 1000) << i;
  }
}

TEST_F(PredictorTest, TellsWhatExpandableSegmentsWouldChange) {
  auto outlook = outlook_of(request);
  ASSERT_TRUE(outlook->expandable.has_value());
  EXPECT_TRUE(outlook->expandable->current);
  // A block of 64 MiB: a segment of its own, or four pages of 20 MiB.
  EXPECT_EQ(outlook->target->prediction.needed, 64 * kMiB);
  EXPECT_EQ(outlook->expandable->needed, 80 * kMiB);
  request.spec.alloc_conf = "expandable_segments:True";
  outlook = outlook_of(request);
  EXPECT_FALSE(outlook->expandable.has_value());
  request.spec.alloc_conf = "expandable_segments:perhaps";
  EXPECT_EQ(outlook_of(request)->problem.sentence,
            "Allocator setting expandable_segments takes True or False, not \"perhaps\"");
}

TEST_F(PredictorTest, AHuntSaysWhyACardCannotRunTheSettings) {
  const auto predictor = make();
  HuntRequest asked = hunt_request();
  asked.spec.device = spec::DeviceKind::cuda;
  predictor->hunt(asked);
  EXPECT_TRUE(hunted(*predictor)->obstacle.sentence.empty());
  calls = 0;
  asked.spec.dtype = spec::DataType::fp32;
  predictor->hunt(asked);
  const auto found = hunted(*predictor);
  EXPECT_EQ(found->obstacle.key, "spec.error.fused_dtype");
  EXPECT_EQ(calls.load(), 0);
}

TEST_F(PredictorTest, AHuntIsCancelledAndReplaced) {
  FakeDryRunner::slow = true;
  const auto predictor = make();
  predictor->hunt(hunt_request());
  while (calls == 0) std::this_thread::sleep_for(1ms);
  predictor->cancel_hunt();
  auto found = hunted(*predictor);
  EXPECT_TRUE(found->cancelled);
  EXPECT_EQ(found->map.count(CellState::probed), 0U);
  FakeDryRunner::slow = false;
  predictor->hunt(hunt_request());
  found = hunted(*predictor);
  EXPECT_EQ(found->id, 2U);
  EXPECT_FALSE(found->cancelled);
  HuntRequest with_777 = hunt_request();
  with_777.x = {spec::Field::T, 777, 777};
  predictor->hunt(with_777);
  EXPECT_EQ(hunted(*predictor)->problem.sentence, "777 is not to be told");
}

TEST_F(PredictorTest, TellsWhatWouldMakeItFit) {
  const auto predictor = make();
  request.spec.workload = spec::WorkloadKind::lm;
  request.spec.backend = spec::AttentionBackend::naive;
  request.spec.batch = 4;
  request.spec.seq_len = 600;  // 7,200 MiB, 2,400 with flash, 1,800 with B = 1
  request.target.memory = 2500 * kMiB;
  predictor->ask(request);
  const auto outlook = complete(*predictor);
  ASSERT_EQ(outlook->target->prediction.fit, Fit::oom);
  const auto of = [&](RemedyKind kind) {
    const auto found = std::find_if(outlook->remedies.begin(), outlook->remedies.end(),
                                    [kind](const Remedy& one) { return one.kind == kind; });
    return found == outlook->remedies.end() ? nullptr : &*found;
  };
  ASSERT_NE(of(RemedyKind::flash), nullptr);
  EXPECT_EQ(of(RemedyKind::flash)->fit, Fit::fits);
  EXPECT_EQ(of(RemedyKind::flash)->needed, 2400 * kMiB);
  EXPECT_EQ(of(RemedyKind::flash)->spec.backend, spec::AttentionBackend::flash);
  ASSERT_NE(of(RemedyKind::smaller_batch), nullptr);
  EXPECT_EQ(of(RemedyKind::smaller_batch)->spec.batch, 1) << "halved until it fits";
  EXPECT_EQ(of(RemedyKind::smaller_batch)->spec.accumulate, 4);
  EXPECT_EQ(of(RemedyKind::checkpoint_blocks)->fit, Fit::oom) << "said as it is";
  EXPECT_EQ(of(RemedyKind::sgd), nullptr) << "there is no optimizer in this pass";
  for (const RemedyKind kind : {RemedyKind::tiled, RemedyKind::automatic}) {
    ASSERT_NE(of(kind), nullptr) << to_string(kind);
    EXPECT_EQ(of(kind)->needed, 2400 * kMiB);
    EXPECT_TRUE(of(kind)->runs_here);
  }
  EXPECT_EQ(of(RemedyKind::tiled)->spec.backend, spec::AttentionBackend::tiled);
  EXPECT_EQ(of(RemedyKind::automatic)->spec.backend, spec::AttentionBackend::automatic);
  EXPECT_EQ(of(RemedyKind::bf16), nullptr) << "it is bf16 already";
  request.spec.seq_len = 64;
  predictor->ask(request);
  EXPECT_TRUE(complete(*predictor)->remedies.empty());
  // Neither is offered where it would not fit.
  request.spec.seq_len = 2000;
  predictor->ask(request);
  const auto larger = complete(*predictor);
  for (const Remedy& remedy : larger->remedies) {
    EXPECT_NE(remedy.kind, RemedyKind::tiled);
    EXPECT_NE(remedy.kind, RemedyKind::automatic);
  }
  EXPECT_TRUE(std::ranges::any_of(larger->remedies,
                                  [](const Remedy& one) { return one.kind == RemedyKind::flash; }));
}

}  // namespace
}  // namespace ts::predict
