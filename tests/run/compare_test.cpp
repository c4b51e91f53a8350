#include "core/run/compare.h"
#include "core/report/compare_report.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <random>

#include "tests/run/fake_engine.h"

namespace ts::run {
namespace {

constexpr std::int64_t kMillisecond = 1'000'000;

// A with T = 512 and B with T = 256 on a clock that only steps move.
class CompareTest : public testing::Test {
 protected:
  CompareTest() {
    script_->clock = &clock_;
    sides_[1].spec.seq_len = 256;
  }
  Comparison run() {
    FakeEngine engine(script_);
    const auto progress = [this](const Comparison&) {
      if (--steps_until_cancel_ == 0) cancel_.cancel();
    };
    return compare(sides_, protocol_, {engine, cancel_, [this] { return clock_.now(); }, progress});
  }

  FakeClock clock_;
  std::shared_ptr<FakeScript> script_ = std::make_shared<FakeScript>();
  std::array<ComparedSide, 2> sides_;
  Protocol protocol_;
  base::CancelToken cancel_;
  int steps_until_cancel_ = 0;
};

TEST_F(CompareTest, steps_of_both_are_taken_in_turn_abba) {
  std::string order;
  script_->spec_step_ns = [&](const spec::WorkloadSpec& spec, std::int32_t) {
    order += spec.seq_len == 512 ? 'A' : 'B';
    return spec.seq_len == 512 ? 30 * kMillisecond : 20 * kMillisecond;
  };
  protocol_.min_samples = 12;
  const Comparison comparison = run();
  ASSERT_FALSE(comparison.failure);
  const std::string timed = order.substr(order.size() - 24);
  EXPECT_EQ(timed, "ABBAABBAABBAABBAABBAABBA");
  EXPECT_EQ(comparison.total.verdict, stats::PairVerdict::faster);
  EXPECT_DOUBLE_EQ(comparison.total.median, 2.0 / 3);
  EXPECT_EQ(comparison.total.pairs, 12);
  EXPECT_EQ(
      report::comparison_sentence(comparison).sentence,
      "B is 1.500 times as fast as A (95 % CI 1.500 to 1.500, 12 pairs in the order A B B A)");
  EXPECT_EQ(comparison.optimizer.pairs, 0) << "the pass has none";
  EXPECT_EQ(comparison.sides[0].facts.backend_ran, "flash");
  EXPECT_EQ(script_->executions_alive, 0);
}

TEST_F(CompareTest, goes_on_until_the_ratio_is_sure) {
  std::mt19937 random(1);
  std::lognormal_distribution<double> noise(0, 0.05);
  script_->spec_step_ns = [&](const spec::WorkloadSpec&, std::int32_t) {
    return static_cast<std::int64_t>(noise(random) * kMillisecond);
  };
  const Comparison comparison = run();
  EXPECT_GT(comparison.total.pairs, protocol_.min_samples);
  EXPECT_NE(comparison.total.verdict, stats::PairVerdict::slower);
  EXPECT_NE(comparison.total.verdict, stats::PairVerdict::faster);
  ASSERT_TRUE(comparison.total.ci95);
  EXPECT_LE((comparison.total.ci95->high - comparison.total.ci95->low) / 2, 0.011);
}

TEST_F(CompareTest, says_when_compiling_has_paid) {
  bool pays = true;
  script_->spec_step_ns = [&](const spec::WorkloadSpec& spec, std::int32_t) {
    return (spec.seq_len == 512) == pays ? 30 * kMillisecond : 20 * kMillisecond;
  };
  Comparison comparison = run();
  EXPECT_EQ(report::break_even_sentence(comparison).sentence, "");
  EXPECT_FALSE(report::break_even_steps(comparison));
  comparison.sides[1].facts.compile_s = 25;
  EXPECT_EQ(report::break_even_steps(comparison), 2500);
  EXPECT_EQ(report::break_even_sentence(comparison).sentence,
            "Compiling B took 25.0 s: after 2,500 steps it has paid");
  EXPECT_EQ(report::to_json(comparison, protocol_, nullptr).at("break_even_steps"), 2500);
  comparison.sides[0].facts.compile_s = 25;
  EXPECT_EQ(report::break_even_sentence(comparison).sentence, "") << "both are compiled";
  pays = false;
  comparison = run();
  comparison.sides[1].facts.compile_s = 25;
  EXPECT_EQ(report::break_even_sentence(comparison).sentence,
            "Compiling B took 25.0 s, which no step gets back");
  comparison.total.verdict = stats::PairVerdict::unclear;
  EXPECT_EQ(report::break_even_sentence(comparison).sentence,
            "Compiling B took 25.0 s; whether a step gains is unclear");
}

TEST_F(CompareTest, a_side_that_fails_is_named) {
  script_->fails_at = 3;
  script_->fails = [](std::int32_t) { return out_of_memory(); };
  const Comparison comparison = run();
  ASSERT_TRUE(comparison.failure);
  EXPECT_EQ(comparison.failure->verdict, Verdict::oom);
  EXPECT_EQ(report::comparison_sentence(comparison).sentence.substr(0, 17), "A ended early: at");
  EXPECT_EQ(report::to_json(comparison, protocol_, nullptr).at("failure").at("side"), "A");
}

TEST_F(CompareTest, can_be_cancelled) {
  script_->step_ns = [](std::int32_t, bool) { return kMillisecond; };
  steps_until_cancel_ = 20;
  const Comparison comparison = run();
  ASSERT_TRUE(comparison.failure);
  EXPECT_EQ(comparison.failure->verdict, Verdict::cancelled);
}

TEST_F(CompareTest, the_document_says_what_differs) {
  script_->spec_step_ns = [](const spec::WorkloadSpec& spec, std::int32_t) {
    return spec.seq_len == 512 ? 30 * kMillisecond : 45 * kMillisecond;
  };
  const auto json = report::to_json(run(), protocol_, {{"torch", "2.11"}});
  EXPECT_EQ(json.at("verdict"), "slower");
  ASSERT_EQ(json.at("differences").size(), 1U);
  EXPECT_EQ(json.at("differences").at(0).at("key"), "T");
  EXPECT_EQ(json.at("differences").at(0).at("b"), "256");
  EXPECT_NEAR(json.at("ratio").at("backward").at("median"), 1.5, 1e-6);
  EXPECT_TRUE(json.at("ratio").at("optimizer").is_null());
  EXPECT_EQ(json.at("a").at("step_ms").at("median"), 30);
}

}  // namespace
}  // namespace ts::run
