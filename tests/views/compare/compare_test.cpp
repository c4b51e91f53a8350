// What the page of A against B offers, says and draws.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "core/run/spec_fields.h"
#include "tests/views/recording_sink.h"
#include "tests/views/texts_for_tests.h"
#include "views/compare/compare_controls.h"
#include "views/compare/compare_figure.h"
#include "views/compare/compare_words.h"

namespace ts::views {
namespace {

using run::Field;
using testing::RecordingSink;

constexpr std::int64_t kMs = 1'000'000;

// `pairs` steps of A of 10 ms and of B of 10 ms times the factor, a little apart from pair to pair.
run::Comparison made(int pairs, double factor) {
  run::Comparison comparison;
  comparison.sides[1].spec.backend = run::AttentionBackend::flash;
  for (int i = 0; i < pairs; ++i) {
    for (std::size_t side = 0; side < 2; ++side) {
      run::StepTimes times;
      const double ms = (10 + 0.01 * (i % 5)) * (side == 0 ? 1 : factor);
      times.total_ns = static_cast<std::int64_t>(ms * static_cast<double>(kMs));
      times.forward_ns = times.total_ns / 4;
      times.backward_ns = times.total_ns - times.forward_ns;
      comparison.sides[side].timed_steps.push_back(times);
      comparison.sides[side].peak = side == 0 ? 4096 : 1024;
    }
  }
  run::judge(comparison);
  comparison.stage = run::Stage::done;
  return comparison;
}

class Compare : public ::testing::Test {
 protected:
  text::Texts texts_ = testing::program_texts();
};

TEST_F(Compare, every_setting_that_is_offered_has_a_value_that_runs) {
  run::WorkloadSpec a;
  a.workload = run::WorkloadKind::lm;
  a.pass = run::Pass::full_step;
  const auto fields = compare_fields(a);
  EXPECT_GT(fields.size(), 20U);
  for (const Field field : fields) {
    CompareDraft draft{field, {}};
    settle(draft, a);
    EXPECT_EQ(draft.field, field) << run::field_name(field);
    const auto b = spec_of_b(draft, a, texts_);
    ASSERT_TRUE(b) << run::field_name(field) << ": " << b.error().sentence;
    EXPECT_NE(*b, a) << run::field_name(field);
  }
  EXPECT_TRUE(std::ranges::find(fields, Field::backend) != fields.end());
  EXPECT_TRUE(std::ranges::find(fields, Field::momentum) == fields.end()) << "AdamW has none";
}

TEST_F(Compare, a_draft_follows_the_settings) {
  run::WorkloadSpec a;
  CompareDraft draft{Field::backend, "flash"};
  settle(draft, a);
  EXPECT_EQ(draft.value, "flash");
  a.backend = run::AttentionBackend::flash;
  settle(draft, a);
  EXPECT_EQ(draft.field, Field::backend);
  EXPECT_NE(draft.value, "flash") << "A has that value now";
  a.workload = run::WorkloadKind::mlp;
  settle(draft, a);
  EXPECT_NE(draft.field, Field::backend) << "an MLP has no attention";
}

TEST_F(Compare, what_cannot_run_has_its_sentence) {
  const run::WorkloadSpec a;
  const auto b = spec_of_b({Field::backend, "cudnn"}, a, texts_);
  ASSERT_FALSE(b);
  EXPECT_NE(b.error().sentence.find("cudnn"), std::string::npos);
}

TEST_F(Compare, verdicts_in_words) {
  EXPECT_EQ(comparison_verdict(made(20, 0.5), texts_), "B is 2.000 times as fast as A");
  EXPECT_EQ(comparison_verdict(made(20, 1.5), texts_), "B takes 1.500 times as long as A");
  EXPECT_EQ(comparison_verdict(made(20, 1.0), texts_), "A and B take the same time");
  EXPECT_EQ(comparison_verdict(made(8, 1.5), texts_), "It is unclear which is faster")
      << "8 pairs are too few";
  run::Comparison ended = made(3, 1);
  ended.failure = run::Failure{};
  ended.failure->sentence = "aten::bmm needs 2 GiB";
  ended.failed_side = 1;
  EXPECT_EQ(comparison_verdict(ended, texts_), "B ended early: aten::bmm needs 2 GiB");
}

TEST_F(Compare, says_how_far_it_is_and_what_it_rests_on) {
  run::Comparison comparison = made(12, 0.5);
  EXPECT_EQ(comparison_state(comparison, 10, texts_),
            "95 % CI 2.000 to 2.000, 12 pairs in the order A B B A");
  comparison.stage = run::Stage::timing;
  comparison.seconds = 3.2;
  EXPECT_EQ(comparison_state(comparison, 10, texts_), "12 pairs after 3 s of at most 10 s");
}

TEST_F(Compare, says_when_compiling_has_paid) {
  run::Comparison comparison = made(12, 0.5);
  EXPECT_EQ(break_even_words(comparison, texts_), "");
  comparison.sides[1].facts.compile_s = 12.34;
  EXPECT_NE(break_even_words(comparison, texts_).find("Compiling B took 12.3 s: after "),
            std::string::npos);
  EXPECT_EQ(break_even_words(made(12, 0.5), texts_), "");
  comparison = made(12, 1.5);
  comparison.sides[1].facts.compile_s = 12.34;
  EXPECT_EQ(break_even_words(comparison, texts_),
            "Compiling B took 12.3 s, which no step gets back");
  comparison.total.verdict = stats::PairVerdict::unclear;
  EXPECT_EQ(break_even_words(comparison, texts_),
            "Compiling B took 12.3 s; whether a step gains is unclear");
  comparison.stage = run::Stage::compiling;
  EXPECT_EQ(comparison_state(comparison, 10, texts_),
            "Compiling the step with Inductor: a minute or two, once");
}

TEST_F(Compare, the_figure_has_a_line_for_each_part_and_a_point_for_each_pair) {
  const run::Comparison comparison = made(24, 1.3);
  for (const Rect area : {Rect{0, 0, 1500, 900}, Rect{0, 0, 900, 500}}) {
    RecordingSink sink;
    draw_compare_figure(sink, area, {comparison, texts_, theme(ThemeKind::dark), {1}});
    const auto says = [&](std::string_view words) {
      return std::ranges::count_if(
          sink.calls, [&](const RecordingSink::Call& call) { return call.text == words; });
    };
    for (const char* words : {"Step", "Forward", "Backward", "4.00 KiB", "1.00 KiB", "0.250"}) {
      EXPECT_EQ(says(words), 1) << words << " at " << area.x1;
    }
    EXPECT_EQ(says("Optimizer"), 0) << "the pass has none";
    EXPECT_EQ(says("slower"), 3);
    constexpr float kBelowTheRows = 200;
    const auto dots = std::ranges::count_if(sink.calls, [&](const RecordingSink::Call& call) {
      return call.kind == RecordingSink::Kind::fill && call.bounds.width() <= 6.1F &&
             std::abs(call.bounds.width() - call.bounds.height()) < 0.1F &&
             call.bounds.y0 > kBelowTheRows;
    });
    EXPECT_GE(dots, 24) << area.x1;
    for (const RecordingSink::Call& call : sink.calls) {
      EXPECT_GE(call.bounds.x0, area.x0) << call.text;
      EXPECT_LE(call.bounds.x1, area.x1) << call.text;
      EXPECT_LE(call.bounds.y1, area.y1) << call.text;
    }
  }
}

TEST_F(Compare, the_axis_of_pairs_is_named_and_has_a_handful_of_ticks) {
  for (const double factor : {0.7, 1.0, 1.3, 3.0, 20.0}) {
    const run::Comparison comparison = made(24, factor);
    RecordingSink sink;
    draw_compare_figure(sink, {0, 0, 1500, 900}, {comparison, texts_, theme(ThemeKind::dark), {1}});
    int ticks = 0;
    bool below = false;
    bool named = false;
    bool explained = false;
    for (const RecordingSink::Call& call : sink.calls) {
      if (call.text == "its 95 % CI") explained = true;
      // Left of the plot and below the rows.
      if (call.text.empty() || call.bounds.x1 > 60 || call.bounds.y0 < 190) continue;
      named = named || call.text == "B / A";
      if (call.text.find_first_not_of("0123456789.") != std::string::npos) continue;
      ++ticks;
      below = below || std::stod(call.text) < 1;
    }
    EXPECT_TRUE(named) << factor;
    EXPECT_TRUE(explained) << factor;
    EXPECT_GE(ticks, 4) << factor;
    EXPECT_LE(ticks, 8) << factor;
    if (factor > 8) {
      EXPECT_TRUE(below) << "an axis by logarithm";
    }
  }
}

}  // namespace
}  // namespace ts::views
