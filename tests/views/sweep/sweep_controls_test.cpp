// What the controls of the sweep page describe.
#include "views/sweep/sweep_controls.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "core/run/spec_fields.h"
#include "core/run/spec_values.h"

namespace ts::views {
namespace {

using run::Field;

const run::SweepPresets kNoPresets;

TEST(SweepControls, EveryNumberThatAppliesIsAnAxisAndMakesASweep) {
  for (const run::WorkloadKind kind : {run::WorkloadKind::attention, run::WorkloadKind::lm}) {
    run::WorkloadSpec base;
    base.workload = kind;
    base.backend = run::AttentionBackend::tiled;
    base.checkpoint = run::Checkpoint::blocks;
    base.causal = false;  // keys of another length have no order
    const auto fields = axis_fields(base);
    EXPECT_EQ(fields.front(), Field::T);
    for (const Field field : {Field::threads, Field::warmups, Field::tile_q, Field::heads}) {
      EXPECT_NE(std::find(fields.begin(), fields.end(), field), fields.end())
          << run::field_name(field);
    }
    const bool lm = kind == run::WorkloadKind::lm;
    EXPECT_EQ(std::count(fields.begin(), fields.end(), Field::checkpoint_every), lm ? 1 : 0);
    for (const Field field : fields) {
      EXPECT_TRUE(run::field_applies(base, field));
      SweepDraft draft;
      draft.axis = field;
      draft.series.reset();
      const std::int64_t now = std::max<std::int64_t>(run::number_of(base, field), 1);
      draft.values = field == Field::memory_limit ? "1GiB" : std::to_string(now);
      const auto spec = sweep_of(draft, base, kNoPresets);
      ASSERT_TRUE(spec) << run::field_name(field) << ": " << spec.error().sentence;
      EXPECT_EQ(spec->axes[0].field, field);
    }
  }
}

TEST(SweepControls, ListsRangesAndPowersOfTwo) {
  SweepDraft draft;
  draft.low = 64;
  draft.high = 256;
  const auto values = [&] { return sweep_of(draft, {}, kNoPresets)->axes[0].values; };
  using Values = std::vector<std::int64_t>;
  EXPECT_EQ(values(), (Values{64, 128, 256}));
  draft.values = "100,50";
  EXPECT_EQ(values(), (Values{50, 100}));
  draft.values = "10:30:+10";
  EXPECT_EQ(values(), (Values{10, 20, 30}));
  draft.values = "16:100";
  EXPECT_EQ(values(), (Values{16, 32, 64}));
  draft.values = "nonsense";
  EXPECT_FALSE(sweep_of(draft, {}, kNoPresets));
}

TEST(SweepControls, ASecondAxisAndSeriesOfAnySetting) {
  SweepDraft draft;
  draft.second = Field::B;
  draft.second_values = "1,2";
  draft.series = Field::dtype;
  draft.series_values = "fp32,bf16";
  const auto spec = sweep_of(draft, {}, kNoPresets);
  ASSERT_TRUE(spec) << spec.error().sentence;
  EXPECT_EQ(spec->axes.size(), 2U);
  EXPECT_EQ(run::series_of(*spec).size(), 2U);
  draft.second = Field::T;
  EXPECT_FALSE(sweep_of(draft, {}, kNoPresets)) << "the same axis twice";
  draft.second.reset();
  draft.series_values = "fp12";
  EXPECT_FALSE(sweep_of(draft, {}, kNoPresets));
  draft.series.reset();
  EXPECT_EQ(run::series_of(*sweep_of(draft, {}, kNoPresets)).size(), 1U);
  // No attention, no backends to choose between.
  run::WorkloadSpec mlp;
  mlp.workload = run::WorkloadKind::mlp;
  EXPECT_EQ(run::series_of(*sweep_of(SweepDraft{}, mlp, kNoPresets)).size(), 1U);
  const auto fields = series_fields(mlp);
  EXPECT_EQ(std::count(fields.begin(), fields.end(), Field::backend), 0);
}

}  // namespace
}  // namespace ts::views
