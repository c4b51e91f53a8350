// The words of the controls of the sweep page.
#include "views/sweep/sweep_controls.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "assets/assets.h"
#include "core/spec/spec_fields.h"
#include "core/spec/spec_values.h"
#include "tests/views/texts_for_tests.h"

namespace ts::views {
namespace {

using spec::Field;

const sweep::SweepPresets kNoPresets;

TEST(SweepControls, EveryNumberThatAppliesIsAnAxisAndMakesASweep) {
  for (const spec::WorkloadKind kind : {spec::WorkloadKind::attention, spec::WorkloadKind::lm}) {
    spec::WorkloadSpec base;
    base.workload = kind;
    base.backend = spec::AttentionBackend::tiled;
    base.checkpoint = spec::Checkpoint::blocks;
    base.causal = false;  // keys of another length have no order
    base.experts_per_token = 1;
    const auto fields = axis_fields(base);
    EXPECT_EQ(fields.front(), Field::T);
    for (const Field field : {Field::threads, Field::warmups, Field::tile_q, Field::heads}) {
      EXPECT_NE(std::find(fields.begin(), fields.end(), field), fields.end())
          << spec::field_name(field);
    }
    const bool lm = kind == spec::WorkloadKind::lm;
    EXPECT_EQ(std::count(fields.begin(), fields.end(), Field::checkpoint_every), lm ? 1 : 0);
    for (const Field field : fields) {
      EXPECT_TRUE(spec::field_applies(base, field));
      SweepEdit edit;
      edit.axis = field;
      edit.series.reset();
      // Rotary positions turn pairs of numbers of a head.
      const bool turns = field == Field::head_width || field == Field::rope_width;
      const std::int64_t least = turns ? 2 : 1;
      const std::int64_t now = std::max(spec::number_of(base, field), least);
      edit.values = field == Field::memory_limit ? "1GiB" : std::to_string(now);
      spec::WorkloadSpec controls = base;
      // Tiles need keys and values of one width.
      if (field == Field::kv_rank) controls.backend = spec::AttentionBackend::naive;
      const auto spec = sweep_of(edit, controls, kNoPresets);
      ASSERT_TRUE(spec) << spec::field_name(field) << ": " << spec.error().sentence;
      EXPECT_EQ(spec->axes[0].field, field);
    }
  }
}

TEST(SweepControls, ListsRangesAndPowersOfTwo) {
  SweepEdit edit;
  edit.low = 64;
  edit.high = 256;
  const auto values = [&] { return sweep_of(edit, {}, kNoPresets)->axes[0].values; };
  using Values = std::vector<std::int64_t>;
  EXPECT_EQ(values(), (Values{64, 128, 256}));
  edit.values = "100,50";
  EXPECT_EQ(values(), (Values{50, 100}));
  edit.values = "10:30:+10";
  EXPECT_EQ(values(), (Values{10, 20, 30}));
  edit.values = "16:100";
  EXPECT_EQ(values(), (Values{16, 32, 64}));
  edit.values = "nonsense";
  EXPECT_FALSE(sweep_of(edit, {}, kNoPresets));
}

TEST(SweepControls, AreFilledFromASweep) {
  for (const std::vector<std::string>& made :
       {std::vector<std::string>{"T=100,256", "backend=naive,flash"},
        {"T=64:256:x2", "B=1,2", "dtype=fp32,bf16"},
        {"d_head=16"}}) {
    sweep::SweepSpec sweep;
    for (const std::string& text : made) {
      auto axis = sweep::parse_axis(text);
      if (axis) {
        sweep.axes.push_back(std::move(*axis));
      } else {
        sweep.series.push_back(*sweep::parse_series(text));
      }
    }
    const auto again = sweep_of(edit_of(sweep, kNoPresets), sweep.base, kNoPresets);
    ASSERT_TRUE(again) << made[0] << ": " << again.error().sentence;
    EXPECT_TRUE(*again == sweep) << made[0];
  }
}

TEST(SweepControls, AreFilledFromEveryExercise) {
  const auto presets = sweep::SweepPresets::parse(assets::sweeps());
  ASSERT_TRUE(presets) << presets.error().sentence;
  for (const sweep::SweepPreset& preset : presets->all()) {
    const auto exercise = sweep::sweep_of_preset(preset, {});
    ASSERT_TRUE(exercise) << preset.id << ": " << exercise.error().sentence;
    const auto again = sweep_of(edit_of(*exercise, *presets), exercise->base, *presets);
    ASSERT_TRUE(again) << preset.id << ": " << again.error().sentence;
    EXPECT_TRUE(again->axes == exercise->axes && again->series == exercise->series) << preset.id;
  }
}

TEST(SweepControls, ASecondAxisAndSeriesOfAnySetting) {
  SweepEdit edit;
  edit.second = Field::B;
  edit.second_values = "1,2";
  edit.series = Field::dtype;
  edit.series_values = "fp32,bf16";
  const auto spec = sweep_of(edit, {}, kNoPresets);
  ASSERT_TRUE(spec) << spec.error().sentence;
  EXPECT_EQ(spec->axes.size(), 2U);
  EXPECT_EQ(sweep::series_of(*spec).size(), 2U);
  edit.second = Field::T;
  EXPECT_FALSE(sweep_of(edit, {}, kNoPresets)) << "the same axis twice";
  edit.second.reset();
  edit.series_values = "fp12";
  EXPECT_FALSE(sweep_of(edit, {}, kNoPresets));
  edit.series.reset();
  EXPECT_EQ(sweep::series_of(*sweep_of(edit, {}, kNoPresets)).size(), 1U);
  // No attention, no backends to choose between.
  spec::WorkloadSpec mlp;
  mlp.workload = spec::WorkloadKind::mlp;
  EXPECT_EQ(sweep::series_of(*sweep_of(SweepEdit{}, mlp, kNoPresets)).size(), 1U);
  const auto fields = series_fields(mlp);
  EXPECT_EQ(std::count(fields.begin(), fields.end(), Field::backend), 0);
}

TEST(SweepControls, AnExerciseLeavesTheOtherSettingsToTheControls) {
  const auto presets = sweep::SweepPresets::parse(assets::sweeps());
  const text::Texts texts = testing::program_texts();
  SweepEdit edit;
  edit.preset = "lab6";
  const sweep::SweepPreset& lab6 = *presets->find("lab6");
  spec::WorkloadSpec settings = *sweep::exercise_settings(lab6, {});
  EXPECT_EQ(changed_from_exercise(texts, lab6, settings), "");
  // The sweep varies these two itself.
  settings.seq_len = 77;
  settings.backend = spec::AttentionBackend::math;
  EXPECT_EQ(changed_from_exercise(texts, lab6, settings), "");
  settings.batch = 1;
  settings.heads = 2;
  EXPECT_EQ(changed_from_exercise(texts, lab6, settings), "B = 1, Heads = 2");
  const auto spec = sweep_of(edit, settings, *presets);
  ASSERT_TRUE(spec) << spec.error().sentence;
  EXPECT_EQ(spec->base, settings);
  EXPECT_EQ(spec->axes[0].values, (std::vector<std::int64_t>{256, 512, 1024, 2048}));
  EXPECT_EQ(spec->series[0].values, (std::vector<std::string>{"naive", "flash"}));
  settings.workload = spec::WorkloadKind::mlp;
  const auto other = sweep_of(edit, settings, *presets);
  ASSERT_FALSE(other);
  EXPECT_EQ(other.error().sentence, "The sweep lab6 is one of attention");
  EXPECT_EQ(changed_from_exercise(texts, lab6, settings), "");
}

// Its series are presets, which set the shape of every point.
TEST(SweepControls, AnExerciseOverPresetsFixesTheirShapes) {
  const auto presets = sweep::SweepPresets::parse(assets::sweeps());
  const sweep::SweepPreset& sizes = *presets->find("a2-5");
  spec::WorkloadSpec settings = *sweep::exercise_settings(sizes, {});
  settings.d_model = 64;
  EXPECT_EQ(changed_from_exercise(testing::program_texts(), sizes, settings), "");
  settings.autocast = spec::Autocast::bf16;
  EXPECT_NE(changed_from_exercise(testing::program_texts(), sizes, settings), "");
}

}  // namespace
}  // namespace ts::views
