#include "views/inspector/inspector_rows.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>
#include <numeric>
#include <optional>
#include <set>
#include <vector>

#include "tests/views/inspector/inspector_run.h"
#include "views/inspector/gpu_rows.h"
#include "views/inspector/inspector_view.h"
#include "views/inspector/peak_table.h"
#include "views/inspector/remedy_list.h"
#include "views/inspector/state_rows.h"
#include "views/inspector/step_strip.h"

namespace ts::views {
namespace {

constexpr const char* kMissing = "\xe2\x80\x93";  // en dash

using testing::InspectorRows;
using testing::kMiB;

TEST_F(InspectorRows, figures_of_other_settings_or_of_a_part_say_so) {
  ViewContext view = context();
  view.run = nullptr;
  EXPECT_EQ(standing_text(view), "");
  view.run = &run_;
  EXPECT_EQ(standing_text(view), "Partial: the run goes on");
  run_.finished = true;
  EXPECT_EQ(standing_text(view), "");
  view.stale = "naive, T = 512";
  EXPECT_EQ(standing_text(view), "Of naive, T = 512");
  run_.verdict = run::Verdict::cancelled;
  EXPECT_EQ(standing_text(view), "Of naive, T = 512. Partial: the run was cancelled");
}

// Terms of the glossary are explained where their number stands, below the words about the
// number.
TEST_F(InspectorRows, terms_are_explained_where_their_numbers_stand) {
  sample(run::SampleUpdate::Kind::timed, 1'000'000);
  run_.finished = true;
  run_.roof = run::Roof{run_.spec.dtype, 2048, 0.2, 15};
  std::set<std::string_view> terms;
  for (const InspectorRow& row : run_rows(context())) {
    if (row.term.empty()) continue;
    terms.insert(row.term);
    const std::string meant = texts_("glossary.text." + std::string(row.term));
    EXPECT_TRUE(row_tip(texts_, row).ends_with(meant)) << row.label;
    if (!row.about.empty() && !row.warn) {
      EXPECT_TRUE(row_tip(texts_, row).starts_with(row.about + "\n")) << row.label;
    }
  }
  for (const char* const term : {"median", "overhead", "memory_limit"})
    EXPECT_TRUE(terms.contains(term)) << term;
}

// A run that was cancelled leaves the last finished one on screen.
TEST_F(InspectorRows, a_newer_run_that_was_cut_short_is_told) {
  run::Run newer{run::StartedUpdate{}};
  newer.finished = true;
  newer.verdict = run::Verdict::cancelled;
  sample(run::SampleUpdate::Kind::timed, 1'000'000);
  run_.finished = true;
  ViewContext view = context();
  EXPECT_EQ(standing_text(view), "");
  view.cut_short = &newer;
  EXPECT_EQ(standing_text(view),
            "The newest run was cancelled. Shown: the last finished run of these settings");
  newer.verdict = run::Verdict::failed;
  newer.failure.sentence = "The corpus is gone";
  EXPECT_THAT(standing_text(view), ::testing::HasSubstr("failed: The corpus is gone."));
}

// The card of a selected slice is of the run, that of a block of what the memory view shows.
TEST_F(InspectorRows, the_card_of_what_is_selected_says_of_which_settings_it_is) {
  ViewContext view = context();
  EXPECT_EQ(card_standing(view, false), "");
  EXPECT_EQ(card_standing(view, true), "");
  view.stale = "naive, T = 512";
  EXPECT_EQ(card_standing(view, false), "Of naive, T = 512");
  EXPECT_EQ(card_standing(view, true), "");
  view.stale_memory = "flash";
  EXPECT_EQ(card_standing(view, true), "Of flash");
}

TEST_F(InspectorRows, the_peak_of_an_older_prediction_says_of_which_settings_it_is) {
  ViewContext view = context();
  view.memory.kind = MemorySource::Kind::predicted;
  EXPECT_EQ(peak_standing(view), "");
  view.stale_memory = "naive, T = 512";
  EXPECT_EQ(peak_standing(view), "Of naive, T = 512");
  view.memory.kind = MemorySource::Kind::measured;
  EXPECT_EQ(peak_standing(view), "") << "the figures of the run have their own mark";
}

// The heading promises what would make it fit: that comes before what only needs less.
TEST(Remedies, those_that_fit_come_first) {
  const auto remedy = [](std::int64_t needed, predict::Fit fit) {
    predict::Remedy made;
    made.needed = needed;
    made.fit = fit;
    return made;
  };
  const std::vector<predict::Remedy> all = {
      remedy(90, predict::Fit::oom), remedy(40, predict::Fit::fits), remedy(120, predict::Fit::oom),
      remedy(60, predict::Fit::fits_after_flush), remedy(30, predict::Fit::fits)};
  std::vector<std::int64_t> needed;
  for (const predict::Remedy* const one : shown_remedies(all, 100)) needed.push_back(one->needed);
  EXPECT_EQ(needed, (std::vector<std::int64_t>{40, 60, 30, 90}));
}

TEST_F(InspectorRows, without_a_run_there_is_nothing) {
  EXPECT_TRUE(run_rows(context(false)).empty());
  EXPECT_TRUE(peak_rows(context(false)).empty());
  EXPECT_TRUE(slice_rows(context(false)).empty());
  EXPECT_TRUE(block_rows(context(false)).empty());
}

TEST_F(InspectorRows, what_was_not_measured_is_an_en_dash) {
  const auto rows = run_rows(context());
  for (const char* key :
       {"inspector.step_time", "inspector.throughput", "inspector.compute", "inspector.overhead"}) {
    EXPECT_EQ(value(rows, texts_(key)), kMissing) << key;
  }
  EXPECT_EQ(value(rows, texts_("inspector.ci", {{"n", "0"}})), kMissing);
  EXPECT_EQ(value(rows, texts_("inspector.dropped")), "0");
}

TEST_F(InspectorRows, of_layernorm_tells_the_largest_error_and_what_is_not_finite) {
  run_.spec.workload = spec::WorkloadKind::layernorm;
  run_.facts.results = {{"fp16", 1234, 0}, {"fp32", 0, 0}};
  run_.facts.curves = {{"fp16", {1, 10}, {0.001, 1}}, {"fp32", {1, 10}, {1e-7, 2.5e-7}}};
  const auto rows = run_rows(context());
  EXPECT_EQ(value(rows, "fp16"), "1.00e+00");
  EXPECT_EQ(value(rows, "fp32"), "2.50e-07");
  EXPECT_EQ(value(rows, texts_("inspector.not_finite", {{"name", "fp16"}})), "1,234");
  EXPECT_EQ(value(rows, texts_("inspector.not_finite", {{"name", "fp32"}})), "no row");
}

TEST_F(InspectorRows, shows_the_median_and_its_interval_in_one_unit) {
  for (int i = 1; i <= 20; ++i) sample(run::SampleUpdate::Kind::timed, 950'000 + i * 5'000);
  const auto rows = run_rows(context());
  EXPECT_EQ(value(rows, texts_("inspector.step_time")), "1.00 ms");
  // Order statistics 6 and 15 of 20: 0.980 and 1.025 ms.
  EXPECT_EQ(value(rows, texts_("inspector.ci", {{"n", "20"}})), "0.980 to 1.025 ms");
}

// A number that is not to be taken as it stands is marked, with what it means.
TEST_F(InspectorRows, losses_a_high_cost_and_outliers_are_marked) {
  const auto marked = [&](const char* key) {
    for (const InspectorRow& row : run_rows(context())) {
      if (row.label == texts_(key)) return row.warn && !row.about.empty();
    }
    return false;
  };
  sample(run::SampleUpdate::Kind::timed, 9'000'000);
  for (int i = 0; i < 40; ++i) sample(run::SampleUpdate::Kind::timed, 1'000'000 + i % 4 * 1000);
  for (int i = 0; i < 6; ++i) sample(run::SampleUpdate::Kind::probe, 1'050'000 + i * 1000);
  for (const char* key : {"inspector.dropped", "inspector.overhead", "inspector.outliers"})
    EXPECT_FALSE(marked(key)) << key;
  EXPECT_EQ(value(run_rows(context()), texts_("inspector.outliers")), "1 of 41");

  run_.probe_steps.clear();
  for (int i = 0; i < 6; ++i) sample(run::SampleUpdate::Kind::probe, 1'920'000 + i * 1000);
  for (int i = 0; i < 9; ++i) sample(run::SampleUpdate::Kind::timed, 9'000'000);
  sample(run::SampleUpdate::Kind::timed, 1'000'000);
  run::BatchUpdate update;
  update.batch.dropped = 77;
  run_.apply(std::move(update));
  for (const char* key : {"inspector.dropped", "inspector.overhead", "inspector.outliers"})
    EXPECT_TRUE(marked(key)) << key;
  EXPECT_EQ(value(run_rows(context()), texts_("inspector.outliers")), "10 of 51");
  EXPECT_EQ(value(run_rows(context()), texts_("inspector.warm_up")), "no row");
  run_.warmup_stable = false;
  EXPECT_TRUE(marked("inspector.warm_up"));
}

TEST_F(InspectorRows, a_share_over_one_is_marked_with_its_reason) {
  run_.spec.workload = spec::WorkloadKind::mlp;
  sample(run::SampleUpdate::Kind::timed, 1'000'000);
  run_.roof = run::Roof{spec::DataType::fp32, 2048, *run_.tflops_per_s() / 2};
  for (const InspectorRow& row : run_rows(context())) {
    if (row.label != texts_("inspector.mfu_measured")) continue;
    EXPECT_TRUE(row.warn);
    EXPECT_NE(row.about.find("busy machine"), std::string::npos) << row.about;
    return;
  }
  FAIL() << "no utilisation";
}

TEST_F(InspectorRows, cost_of_recording_has_its_sign) {
  sample(run::SampleUpdate::Kind::timed, 1'000'000);
  for (int i = 0; i < 6; ++i) sample(run::SampleUpdate::Kind::probe, 1'018'000 + i * 2'000);
  EXPECT_EQ(value(run_rows(context()), texts_("inspector.overhead")), "+2.3 (+1.8 to +2.8) %");
}

TEST_F(InspectorRows, cost_of_recording_is_unclear_where_its_interval_has_zero_in_it) {
  sample(run::SampleUpdate::Kind::timed, 1'000'000);
  for (int i = 0; i < 6; ++i) sample(run::SampleUpdate::Kind::probe, 990'000 + i * 6'000);
  EXPECT_EQ(value(run_rows(context()), texts_("inspector.overhead")), "unclear, −1.0 to +2.0 %");
}

TEST_F(InspectorRows, cost_of_recording_by_a_few_probes_is_unclear) {
  sample(run::SampleUpdate::Kind::timed, 1'000'000);
  sample(run::SampleUpdate::Kind::probe, 1'018'000);
  EXPECT_EQ(value(run_rows(context()), texts_("inspector.overhead")), "unclear, too few probes: 1");
}

TEST_F(InspectorRows, peak_by_category_adds_up_to_the_peak) {
  record(memory::Action::alloc, 1, 3 * kMiB, 10);
  record(memory::Action::owner, 1, 0, 11, memory::Category::parameter);
  record(memory::Action::alloc, 2, 5 * kMiB, 12);
  record(memory::Action::owner, 2, 0, 13, memory::Category::gradient);
  record(memory::Action::alloc, 3, 7 * kMiB, 14);
  record(memory::Action::free_completed, 3, 7 * kMiB, 15);
  const auto rows = peak_rows(context());
  const std::int64_t sum = std::accumulate(
      rows.begin(), rows.end(), std::int64_t{0},
      [](std::int64_t so_far, const CategoryRow& row) { return so_far + row.bytes; });
  EXPECT_EQ(sum, 15 * kMiB);
  EXPECT_EQ(sum, run_.memory.peak_bytes());
  ASSERT_EQ(rows.size(), 3U);
  // Top of the stack first.
  EXPECT_EQ(rows[1].category, memory::Category::gradient);
  EXPECT_EQ(rows[1].bytes, 5 * kMiB);
  EXPECT_EQ(rows[2].category, memory::Category::parameter);
}

TEST_F(InspectorRows, the_chain_of_the_card_adds_up_and_names_every_number) {
  auto card = std::make_shared<predict::Forecast>();
  card->target = predict::target_of({});
  card->target.name = "Card";
  card->target.memory = std::int64_t{1} << 30;
  predict::Prediction& prediction = card->prediction;
  prediction.chain = {20 * kMiB, kMiB / 2, 8 * kMiB, 5 * kMiB, 426 * kMiB};
  prediction.before_backward = 12 * kMiB;
  prediction.headroom = card->target.memory - prediction.chain.needed();
  predict::Outlook outlook;
  outlook.target = card;
  ViewContext shown = context(false);
  shown.outlook = &outlook;
  const auto rows = peak_table(shown);
  using Kind = PeakRow::Kind;
  std::vector<Kind> kinds;
  std::int64_t terms = 0;
  for (const PeakRow& row : rows) {
    kinds.push_back(row.kind);
    if (row.kind == Kind::term) {
      terms += *row.predicted;
      EXPECT_FALSE(row.hint.empty()) << row.label;
    }
    if (row.kind == Kind::sum) {
      EXPECT_EQ(*row.predicted, terms) << row.label;
    }
    EXPECT_EQ(row.predicted.has_value(), row.kind != Kind::place) << row.label;
  }
  EXPECT_EQ(kinds, (std::vector<Kind>{Kind::place, Kind::term, Kind::term, Kind::term, Kind::sum,
                                      Kind::part, Kind::term, Kind::sum, Kind::term, Kind::sum,
                                      Kind::rest}));
  EXPECT_EQ(terms, prediction.chain.needed());
  EXPECT_EQ(rows.front().label, "Card");
  EXPECT_EQ(rows.back().label, "to spare");
  EXPECT_EQ(*rows.back().predicted + terms, card->target.memory);
  // The missing memory is told by its size; links of nothing are left out.
  prediction.chain.cached = 0;
  prediction.headroom = -3 * kMiB;
  const auto short_rows = peak_table(shown);
  EXPECT_EQ(short_rows.size(), rows.size() - 1);
  EXPECT_EQ(short_rows.back().label, "missing");
  EXPECT_EQ(short_rows.back().predicted, 3 * kMiB);
}

// The live tensors of a step that was broken off are not what the whole step was predicted to need.
TEST_F(InspectorRows, tensors_that_lived_and_tensors_of_the_whole_step_have_names_of_their_own) {
  record(memory::Action::alloc, 1, 3 * kMiB, 1);
  run_.finished = true;
  predict::Forecast here;
  memory::Record more;
  more.action = memory::Action::alloc;
  more.address = 1;
  more.size = 19 * kMiB;
  here.run.log.append(more);
  ViewContext shown = context();
  shown.forecast = &here;
  EXPECT_EQ(peak_names(shown).heading, "Tensors at their peak");
  ASSERT_EQ(peak_table(shown).size(), 2U);
  EXPECT_EQ(peak_table(shown)[1].label, peak_names(shown).total);
  run_.verdict = run::Verdict::oom;
  EXPECT_EQ(peak_names(shown).heading, "Tensors that lived, at most");
  EXPECT_EQ(peak_names(shown).total, "tensors that lived");
  EXPECT_EQ(peak_table(shown)[1].label, "tensors, whole step");
  EXPECT_EQ(peak_table(shown)[1].predicted, 19 * kMiB);
  EXPECT_FALSE(peak_table(shown)[1].measured);
}

// Where the number stands it is said that it is not to the byte.
TEST_F(InspectorRows, what_threads_may_take_less_is_said_of_the_prediction_that_it_is_about) {
  predict::Outlook outlook;
  auto card = std::make_shared<predict::Forecast>();
  card->run.apart_bytes = 0;
  outlook.target = card;
  ViewContext shown = context();
  shown.outlook = &outlook;
  EXPECT_EQ(apart_text(shown), "");
  predict::Forecast here;
  here.run.apart_bytes = 1024;
  shown.forecast = &here;
  shown.memory.kind = MemorySource::Kind::measured;
  EXPECT_EQ(apart_text(shown),
            "Flash backward on several threads: a run may take up to 1.00 KiB less");
}

TEST_F(InspectorRows, describes_an_allocation) {
  record(memory::Action::alloc, 1, 3 * kMiB, 1'000'000);
  record(memory::Action::free_completed, 1, 3 * kMiB, 3'500'000);
  state_.selected_block = 0;
  const auto rows = block_rows(context());
  EXPECT_EQ(value(rows, texts_("inspector.size")), "3.00 MiB");
  EXPECT_EQ(value(rows, texts_("inspector.bytes")), "3,145,728 B");
  EXPECT_EQ(value(rows, texts_("inspector.op")), "aten::bmm");
  EXPECT_EQ(value(rows, texts_("inspector.module")), "blocks.3.attn");
  EXPECT_EQ(value(rows, texts_("inspector.lifetime")), "2.50 ms");
  EXPECT_EQ(value(rows, texts_("inspector.step")), "2");  // people count from one
}

TEST_F(InspectorRows, says_that_an_allocation_lives_still) {
  record(memory::Action::alloc, 1, kMiB, 1'000'000);
  state_.selected_block = 0;
  EXPECT_EQ(value(block_rows(context()), texts_("inspector.lifetime")),
            texts_("inspector.still_alive"));
}

TEST_F(InspectorRows, describes_a_slice_and_its_share_of_the_one_around_it) {
  slice(0, 1'000'000, 4'000'000, "blocks.0");
  state_.selected_slice = slice(1, 2'000'000, 1'000'000, "aten::bmm");
  const auto rows = slice_rows(context());
  EXPECT_EQ(value(rows, texts_("inspector.name")), "aten::bmm");
  EXPECT_EQ(value(rows, texts_("inspector.duration")), "1.00 ms");
  EXPECT_EQ(value(rows, texts_("inspector.start")), "1.00 ms");
  EXPECT_EQ(value(rows, texts_("inspector.parent")), "blocks.0");
  EXPECT_EQ(value(rows, texts_("inspector.share")), "25.0 %");
}

// A selection outlives its run for a frame.
TEST_F(InspectorRows, a_place_that_is_not_there_has_no_rows) {
  state_.selected_slice = trace::SliceRef{3, 1, 9};
  state_.selected_block = 77;
  EXPECT_TRUE(slice_rows(context()).empty());
  EXPECT_TRUE(block_rows(context()).empty());
  slice(0, 0, 5, "a");
  state_.selected_slice = trace::SliceRef{0, 0, 1};
  EXPECT_TRUE(slice_rows(context()).empty());
}

TEST(InspectorTable, is_copied_as_tab_separated_lines) {
  EXPECT_EQ(to_tsv({{"Step time", {"1.00", "ms"}}, {"Dropped", {"0", ""}}}),
            "Step time\t1.00\tms\nDropped\t0\t\n");
  EXPECT_EQ(to_tsv({}), "");
}

TEST_F(InspectorRows, the_strip_has_every_step_and_marks_what_is_far_above) {
  sample(run::SampleUpdate::Kind::warmup, 80'000'000);
  for (int i = 0; i < 9; ++i) sample(run::SampleUpdate::Kind::timed, 10'000'000 + i);
  sample(run::SampleUpdate::Kind::timed, 40'000'000);
  const StepStrip strip = step_strip(run_);
  ASSERT_EQ(strip.steps.size(), 11U);
  EXPECT_TRUE(strip.steps[0].warmup);
  EXPECT_FALSE(strip.steps[0].outlier);
  EXPECT_TRUE(strip.steps[10].outlier);
  EXPECT_DOUBLE_EQ(strip.highest_ms, 80);
  testing::RecordingSink sink;
  const Rect area{0, 0, 220, 50};
  const auto hit = draw_step_strip(sink, theme(ThemeKind::dark), area, strip, {5, 10});
  ASSERT_TRUE(hit);
  EXPECT_EQ(*hit, 0U);
  std::vector<Rect> bars;
  for (const auto& call : sink.calls) {
    EXPECT_GE(call.bounds.y0, area.y0);
    EXPECT_LE(call.bounds.x1, area.x1);
    if (call.color == theme(ThemeKind::dark).warn || call.color == theme(ThemeKind::dark).accent ||
        call.color == theme(ThemeKind::dark).bad) {
      bars.push_back(call.bounds);
    }
  }
  ASSERT_EQ(bars.size(), 11U);
  EXPECT_FLOAT_EQ(bars[0].height(), 50);
  EXPECT_NEAR(bars[1].height(), 50.0 / 8, 1);
}

TEST_F(InspectorRows, a_strip_of_more_steps_than_pixels_shows_the_slowest) {
  for (int i = 0; i < 5000; ++i) {
    sample(run::SampleUpdate::Kind::timed, i == 3333 ? 90'000'000 : 10'000'000);
  }
  testing::RecordingSink sink;
  draw_step_strip(sink, theme(ThemeKind::dark), {0, 0, 100, 50}, step_strip(run_), {-1, -1});
  EXPECT_LT(sink.calls.size(), 110U);
  int full = 0;
  for (const auto& call : sink.calls) {
    full += call.bounds.height() >= 49 && call.bounds.width() < 5 ? 1 : 0;
  }
  EXPECT_EQ(full, 1);
}

TEST(GpuRows, shares_are_of_the_span_and_missing_causes_have_no_row) {
  const text::Texts texts = testing::program_texts();
  stats::DeviceUse use;
  use.kernels = 10;
  use.span_ns = 2'000'000;
  use.busy_ns = 1'500'000;
  use.kernel_ns = 1'600'000;
  use.tensor_core_ns = 400'000;
  use.idle_ns[static_cast<std::size_t>(trace::IdleCause::launch)] = 300'000;
  use.idle_ns[static_cast<std::size_t>(trace::IdleCause::synchronisation)] = 200'000;
  use.queue_mean = 2.5;
  use.queue_most = 7;
  std::string all;
  for (const InspectorRow& row : gpu_rows(texts, use, 2))
    all += row.label + "=" + row.value.joined() + "\n";
  EXPECT_EQ(all,
            "First to last work, a step=1.00 ms\n"
            "Sum of kernels, a step=800.0 \xc2\xb5s\n"
            "Busy with kernels or copies=75.0 %\n"
            "Idle: launch-bound=15.0 %\n"
            "Idle: synchronisation=10.0 %\n"
            "Tensor cores, of kernel time=25.0 %\n"
            "Launches waiting=2.5 on average, 7 at most\n");
  const auto of_trace = gpu_rows(texts, use, std::nullopt);
  EXPECT_EQ(of_trace[0].label + "=" + of_trace[0].value.joined(), "First to last work=2.00 ms");
  EXPECT_EQ(of_trace[1].label + "=" + of_trace[1].value.joined(),
            "Sum of kernels, whole trace=1.60 ms");
}

TEST(GpuRows, a_launch_has_its_occupancy_where_the_card_is_known) {
  const text::Texts texts = testing::program_texts();
  trace::KernelLaunch launch;
  launch.grid = {12, 3, 1};
  launch.block = {256, 1, 1};
  launch.registers = 128;
  EXPECT_TRUE(launch_rows(texts, {}, "9.0").empty()) << "a file without launches";
  EXPECT_EQ(launch_rows(texts, launch, "").size(), 3U);
  const auto rows = launch_rows(texts, launch, "9.0");
  ASSERT_EQ(rows.size(), 4U);
  EXPECT_EQ(rows[0].value.value,
            "12\xc3\x97"
            "3 \xc2\xb7 256");
  EXPECT_EQ(rows[3].value.value, "25 %, registers");
}

TEST(StateRows, say_what_held_the_clocks_down) {
  const text::Texts texts = testing::program_texts();
  run::Run run{run::StartedUpdate{}};
  EXPECT_TRUE(state_rows(texts, run).empty()) << "a run on the cpu";
  run::StepTimes step;
  run::GpuState state;
  state.sm_clock_mhz = 1500;
  state.temperature_c = 70;
  state.used_bytes = kMiB;
  step.gpu = state;
  run.timed_steps.push_back(step);
  step.gpu->sm_clock_mhz = 1700;
  step.gpu->throttle = 0x24;
  run.timed_steps.push_back(step);
  std::string all;
  for (const InspectorRow& row : state_rows(texts, run))
    all += row.label + "=" + row.value.joined() + "\n";
  EXPECT_NE(all.find("Clocks held down=power, heat (1 of 2)"), std::string::npos) << all;
  EXPECT_NE(all.find("SM clock="), std::string::npos) << all;
  EXPECT_EQ(all.find("Power"), std::string::npos) << "this card does not tell: " << all;
}

TEST_F(InspectorRows, the_types_of_a_card_are_told_where_they_differ) {
  auto card = std::make_shared<predict::Forecast>();
  card->target = predict::target_of({});
  card->run.types = {{"fc1", "fp16"}, {"norm", "fp32"}};
  predict::Outlook outlook;
  outlook.target = card;
  ViewContext before = context(false);
  before.outlook = &outlook;
  EXPECT_EQ(value(card_type_rows(before), "Type of norm"), "fp32");
  EXPECT_EQ(card_type_rows(before).size(), 2U);
  run::FactsUpdate facts;
  facts.facts.types = {{"fc1", "fp16"}, {"norm", "fp16"}};
  run_.apply(facts);
  ViewContext after = context();
  after.outlook = &outlook;
  const auto rows = card_type_rows(after);
  ASSERT_EQ(rows.size(), 1U);
  EXPECT_EQ(value(rows, "Type of norm"), "fp32");
  EXPECT_TRUE(rows.front().warn);
  after.stale = "T = 512";
  EXPECT_EQ(card_type_rows(after).size(), 2U) << "that run says nothing of these settings";
  card->run.types = {{"fc1", "fp32"}, {"norm", "fp32"}};
  EXPECT_TRUE(card_type_rows(before).empty());
}

}  // namespace
}  // namespace ts::views
