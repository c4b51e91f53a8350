// The choices, words and figures of the page of A against B.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "core/spec/spec_fields.h"
#include "tests/views/recording_sink.h"
#include "tests/views/texts_for_tests.h"
#include "views/charts/memory_overlay.h"
#include "views/common/spec_text.h"
#include "views/compare/compare_controls.h"
#include "views/compare/compare_figure.h"
#include "views/compare/compare_text.h"

namespace ts::views {
namespace {

using spec::Field;
using testing::RecordingSink;

constexpr std::int64_t kMs = 1'000'000;

// `pairs` steps of A of 10 ms and of B of 10 ms times the factor, a little apart from pair to pair.
run::Comparison made(int pairs, double factor) {
  run::Comparison comparison;
  comparison.sides[1].spec.backend = spec::AttentionBackend::flash;
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
  spec::WorkloadSpec a;
  a.workload = spec::WorkloadKind::lm;
  a.pass = spec::Pass::full_step;
  const spec::CheckedSpec checked(a);
  const auto fields = compare_fields(checked);
  EXPECT_GT(fields.size(), 20U);
  for (const Field field : fields) {
    CompareEdit edit{field, {}};
    settle(edit, checked);
    EXPECT_EQ(edit.field, field) << spec::field_name(field);
    const auto b = spec_of_b(edit, checked);
    ASSERT_TRUE(b) << spec::field_name(field) << ": " << b.error().sentence;
    EXPECT_NE(*b, a) << spec::field_name(field);
  }
  EXPECT_TRUE(std::ranges::find(fields, Field::backend) != fields.end());
  EXPECT_TRUE(std::ranges::find(fields, Field::momentum) == fields.end()) << "AdamW has none";
}

TEST_F(Compare, an_edit_follows_the_settings) {
  spec::WorkloadSpec a;
  CompareEdit edit{Field::backend, "flash"};
  settle(edit, spec::CheckedSpec(a));
  EXPECT_EQ(edit.value, "flash");
  a.backend = spec::AttentionBackend::flash;
  settle(edit, spec::CheckedSpec(a));
  EXPECT_EQ(edit.field, Field::backend);
  EXPECT_NE(edit.value, "flash") << "A has that value now";
  a.workload = spec::WorkloadKind::mlp;
  settle(edit, spec::CheckedSpec(a));
  EXPECT_NE(edit.field, Field::backend) << "an MLP has no attention";
}

TEST_F(Compare, what_cannot_run_has_its_sentence) {
  const spec::CheckedSpec a{spec::WorkloadSpec{}};
  const auto b = spec_of_b({Field::backend, "cudnn"}, a);
  ASSERT_FALSE(b);
  EXPECT_NE(message_text(texts_, b.error()).find(texts_("controls.choice.cudnn")),
            std::string::npos)
      << b.error().sentence;
}

TEST_F(Compare, verdicts_as_text) {
  EXPECT_EQ(comparison_verdict(made(20, 0.5), texts_), "flash is 2.000 times as fast as naive");
  EXPECT_EQ(comparison_verdict(made(20, 1.5), texts_), "flash takes 1.500 times as long as naive");
  EXPECT_EQ(comparison_verdict(made(20, 1.0), texts_), "naive and flash take the same time");
  EXPECT_EQ(comparison_verdict(made(8, 1.5), texts_), "Too few pairs for a verdict: at least 10");
  EXPECT_STREQ(verdict_key(made(8, 1.5).total), "compare.verdict.too_few")
      << "its interval excludes 1 and does not say why there is no verdict";
  run::Comparison noisy = made(20, 1);
  noisy.total.verdict = stats::PairVerdict::unclear;
  EXPECT_EQ(comparison_verdict(noisy, texts_), "It is unclear which is faster");
  EXPECT_STREQ(verdict_key(noisy.total), "compare.verdict.unclear");
  run::Comparison ended = made(3, 1);
  ended.failure = run::Failure{};
  ended.failure->sentence = "aten::bmm needs 2 GiB";
  ended.failed_side = 1;
  EXPECT_EQ(comparison_verdict(ended, texts_), "flash ended early: aten::bmm needs 2 GiB");
}

TEST_F(Compare, sides_are_named_by_the_setting_that_differs) {
  run::Comparison comparison = made(20, 1.5);
  using Names = std::array<std::string, 2>;
  EXPECT_EQ(side_names(comparison, texts_), (Names{"naive", "flash"}));
  comparison.sides[1].spec = comparison.sides[0].spec;
  EXPECT_EQ(side_names(comparison, texts_), (Names{"A", "B"})) << "nothing differs";
  comparison.sides[1].spec.seq_len = 2 * comparison.sides[0].spec.seq_len;
  const std::string length = std::to_string(comparison.sides[0].spec.seq_len);
  EXPECT_EQ(side_names(comparison, texts_)[0], "T = " + length);
  comparison.sides[1].spec.causal = !comparison.sides[0].spec.causal;
  EXPECT_EQ(side_names(comparison, texts_), (Names{"A", "B"})) << "two settings differ";
}

TEST_F(Compare, why_the_ratio_is_not_that_of_the_medians_is_said) {
  run::Comparison comparison = made(20, 1.5);
  EXPECT_EQ(ratio_note(comparison, texts_), "") << "they are the same";
  // A machine that slows down half way: pairs keep their ratio, the medians lie in other halves.
  for (std::size_t i = 0; i < 20; ++i) {
    for (std::size_t side = 0; side < 2; ++side) {
      if (i + side >= 10) comparison.sides[side].timed_steps[i].total_ns *= 3;
    }
  }
  run::judge(comparison);
  const std::string note = ratio_note(comparison, texts_);
  EXPECT_TRUE(note.starts_with("1.500 is the median of the ratios")) << note;
  EXPECT_FALSE(note.ends_with("1.500")) << note;
  // In full in a small window, too, and what is compared has its name.
  RecordingSink sink;
  draw_compare_figure(sink, {0, 0, 690, 480}, {comparison, texts_, theme(ThemeKind::dark), {1}});
  std::string shown;
  bool peak = false;
  for (const RecordingSink::Call& call : sink.calls) {
    if (call.style == TextStyle::small) shown += call.text + " ";
    peak = peak || call.text == texts_("compare.peak");
  }
  const std::string end = note.substr(note.size() - 20);
  EXPECT_NE(shown.find(end.substr(end.find(' ') + 1)), std::string::npos) << shown;
  EXPECT_TRUE(peak);
}

TEST_F(Compare, times_that_are_compared_stand_in_one_unit) {
  run::Comparison comparison = made(20, 0.05);  // 10 ms and 500 us
  const auto rows = comparison_rows(comparison, texts_);
  EXPECT_EQ(rows.front().a, "10.02 ms");
  EXPECT_EQ(rows.front().b, "0.501 ms");
  for (const ComparisonRow& row : rows) {
    EXPECT_TRUE(row.a.ends_with(" ms") && row.b.ends_with(" ms")) << row.part;
  }
}

TEST_F(Compare, says_how_far_it_is_and_what_it_rests_on) {
  run::Comparison comparison = made(12, 0.5);
  EXPECT_EQ(comparison_state(comparison, 10, texts_),
            "95 % CI 2.000 to 2.000, 12 pairs in the order A B B A");
  comparison.stage = run::Stage::timing;
  comparison.seconds = 3.2;
  EXPECT_EQ(comparison_state(comparison, 10, texts_), "12 pairs after 3 s of at most 10 s");
}

TEST_F(Compare, says_that_it_compiles) {
  run::Comparison comparison = made(12, 1.5);
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

// The heading of the pairs stands over their chart or not at all.
TEST_F(Compare, without_room_for_the_pairs_their_heading_is_left_out_too) {
  const run::Comparison comparison = made(24, 1.3);
  const auto headed = [&](float height) {
    RecordingSink sink;
    draw_compare_figure(sink, {0, 0, 690, height},
                        {comparison, texts_, theme(ThemeKind::dark), {1}});
    return std::pair(sink.says(texts_("compare.pairs")), sink.says(texts_("compare.pairs_axis")));
  };
  for (float height = 100; height < 600; height += 10) {
    const auto [title, axis] = headed(height);
    EXPECT_EQ(title, axis) << height;
  }
  RecordingSink sink;
  const float wanted = draw_compare_figure(sink, {0, 0, 690, 200},
                                           {comparison, texts_, theme(ThemeKind::dark), {1}});
  EXPECT_TRUE(headed(wanted).second);
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
      named = named || call.text == "ratio";
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

TEST_F(Compare, a_low_chart_of_far_ratios_says_that_its_axis_is_logarithmic) {
  for (const double factor : {1.3, 20.0}) {
    const run::Comparison comparison = made(24, factor);
    RecordingSink sink;
    draw_compare_figure(sink, {0, 0, 1500, 380}, {comparison, texts_, theme(ThemeKind::dark), {1}});
    EXPECT_TRUE(sink.says(texts_("compare.pairs")));
    EXPECT_EQ(sink.says("logarithmic"), factor > 8);
    const auto ticks = std::ranges::count_if(sink.calls, [](const RecordingSink::Call& call) {
      const bool number =
          !call.text.empty() && call.text.find_first_not_of("0123456789.") == std::string::npos;
      return number && call.bounds.x1 <= 60;
    });
    EXPECT_GE(ticks, 3) << factor;
  }
}

// In every language and width the verdict of a row is whole.
TEST_F(Compare, a_verdict_of_a_row_is_not_cut) {
  const run::Comparison few = made(5, 1.3);
  for (const text::Language language :
       {text::Language::en, text::Language::zh_cn, text::Language::zh_tw}) {
    text::Texts texts = testing::program_texts();
    texts.choose(language);
    for (const float width : {640.0F, 960.0F, 1880.0F}) {
      RecordingSink sink;
      draw_compare_figure(sink, {0, 0, width, 700}, {few, texts, theme(ThemeKind::dark), {1}});
      EXPECT_TRUE(sink.says(texts(verdict_key(few.total)))) << width;
    }
  }
}

// Between the words and the numbers of a small window there is no room for it.
TEST_F(Compare, a_plot_of_intervals_is_wide_enough_or_left_out) {
  const run::Comparison comparison = made(24, 1.3);
  const auto axis = [&](float width) {
    RecordingSink sink;
    draw_compare_figure(sink, {0, 0, width, 700},
                        {comparison, texts_, theme(ThemeKind::dark), {1}});
    EXPECT_TRUE(sink.says("slower")) << width;
    for (const RecordingSink::Call& call : sink.calls)
      EXPECT_EQ(call.text.find("\xe2\x80\xa6"), std::string::npos) << call.text << " at " << width;
    return sink.says(texts_("compare.axis", {{"a", "naive"}, {"b", "flash"}}));
  };
  EXPECT_FALSE(axis(692));
  EXPECT_TRUE(axis(1400));
}

TEST_F(Compare, an_axis_by_logarithm_has_two_ticks_at_least) {
  for (float height = 330; height < 600; height += 10) {
    for (const double factor : {9.0, 20.0, 80.0}) {
      const run::Comparison comparison = made(24, factor);
      RecordingSink sink;
      draw_compare_figure(sink, {0, 0, 1500, height},
                          {comparison, texts_, theme(ThemeKind::dark), {1}});
      if (!sink.says(texts_("compare.pairs_log"))) continue;
      const auto ticks = std::ranges::count_if(sink.calls, [](const RecordingSink::Call& call) {
        return !call.text.empty() && call.bounds.x1 <= 60 && call.bounds.y0 > 190 &&
               call.text.find_first_not_of("0123456789.") == std::string::npos;
      });
      EXPECT_GE(ticks, 2) << height << " " << factor;
    }
  }
}

// Both curves end at heights that are in the ratio of their bytes, inside the plot.
TEST_F(Compare, two_memory_timelines_share_one_scale) {
  const auto log_of = [](std::int64_t bytes) {
    memory::AllocationLog log;
    memory::Record record;
    record.action = memory::Action::alloc;
    record.phase = base::Phase::forward;
    for (int i = 0; i < 4; ++i) {
      record.address = static_cast<std::uint64_t>(i + 1);
      record.size = bytes / 4;
      record.time_ns = i;
      log.append(record);
    }
    return log;
  };
  const memory::AllocationLog naive = log_of(64 << 20);
  const memory::AllocationLog flash = log_of(16 << 20);
  for (const ThemeKind kind : {ThemeKind::dark, ThemeKind::light}) {
    RecordingSink sink;
    const Rect area{10, 20, 810, 320};
    draw_memory_overlay(sink, area,
                        {{{{"naive", &naive}, {"flash", &flash}}}, texts_, theme(kind), {1}});
    std::vector<float> tops;
    for (const auto& call : sink.calls) {
      EXPECT_GE(call.bounds.x0, area.x0 - 1) << call.text;
      EXPECT_LE(call.bounds.y1, area.y1 + 1) << call.text;
      if (call.kind == RecordingSink::Kind::polyline) tops.push_back(call.bounds.y0);
    }
    ASSERT_EQ(tops.size(), 2U);
    const float ground = area.y1 - 22;
    EXPECT_NEAR((ground - tops[0]) / (ground - tops[1]), 4, 0.05);
    const auto told = [&](const char* words) {
      return std::ranges::any_of(
          sink.calls, [&](const auto& call) { return call.text.find(words) != std::string::npos; });
    };
    EXPECT_TRUE(told("naive: peak 64"));
    EXPECT_TRUE(told("flash: peak 16"));
    EXPECT_TRUE(told(" MiB, 0.25 times the first"));
  }
  RecordingSink sink;
  draw_memory_overlay(
      sink, {0, 0, 800, 300},
      {{{{"naive", &naive}, {"flash", nullptr}}}, texts_, theme(ThemeKind::dark), {1}});
  EXPECT_EQ(
      std::ranges::count(sink.calls, RecordingSink::Kind::polyline, &RecordingSink::Call::kind), 1)
      << "of a side that is not known there is the name alone";
}

TEST_F(Compare, one_memory_timeline_alone_has_one_name_and_one_curve) {
  memory::AllocationLog log;
  memory::Record record;
  record.action = memory::Action::alloc;
  record.phase = base::Phase::forward;
  record.address = 1;
  record.size = 64 << 20;
  log.append(record);
  RecordingSink sink;
  OverlayCurves curves;
  MemoryOverlay overlay{{{{"naive", &log}, {}}}, texts_, theme(ThemeKind::dark), {1}, &curves};
  EXPECT_EQ(overlay.count(), 1U);
  draw_memory_overlay(sink, {0, 0, 800, 300}, overlay);
  EXPECT_EQ(
      std::ranges::count(sink.calls, RecordingSink::Kind::polyline, &RecordingSink::Call::kind), 1);
  EXPECT_TRUE(std::ranges::any_of(sink.calls, [](const auto& call) {
    return call.text.find("naive: peak 64") != std::string::npos;
  }));
}

}  // namespace
}  // namespace ts::views
