// Which runs have a result that says more than their memory.
#include "views/inspector/result_panel.h"

#include <gtest/gtest.h>

namespace ts::views {
namespace {

void add(run::Run& run, run::SampleUpdate::Kind kind, std::optional<double> scale) {
  run::SampleUpdate update;
  update.kind = kind;
  update.times.total_ns = 1'000'000;
  update.times.loss_scale = scale;
  run.apply(update);
}

TEST(RunResult, IsOfNumbersOfTheScaleOrOfTheSteps) {
  run::Run run{run::StartedUpdate{}};
  EXPECT_FALSE(result_of(run)) << "nothing has run";
  add(run, run::SampleUpdate::Kind::timed, std::nullopt);
  EXPECT_FALSE(result_of(run)) << "memory tells more";
  run.spec.warmups = spec::Warmups::none;
  EXPECT_EQ(result_of(run), RunResult::steps) << "asked for without warm-up";
  run.spec.grad_scaler = true;
  EXPECT_EQ(result_of(run), RunResult::steps) << "no step had a scale";
  add(run, run::SampleUpdate::Kind::timed, 1024);
  EXPECT_EQ(result_of(run), RunResult::loss_scale);
  run.facts.curves = {{"fp32", {1, 2}, {0.01, 0.02}}};
  EXPECT_EQ(result_of(run), RunResult::curves);
}

// Recorded steps come first, unless the number of warm-up steps is fixed: then a second execution,
// which begins anew, is recorded.
TEST(RunResult, TheScaleIsInTheOrderOfTheSteps) {
  run::Run run{run::StartedUpdate{}};
  add(run, run::SampleUpdate::Kind::timed, 4);
  add(run, run::SampleUpdate::Kind::timed, 2);
  add(run, run::SampleUpdate::Kind::recorded, 16);
  add(run, run::SampleUpdate::Kind::warmup, 8);
  using Values = std::vector<double>;
  EXPECT_EQ(loss_scale_curve(run).x, (Values{1, 2, 3, 4}));
  EXPECT_EQ(loss_scale_curve(run).y, (Values{4, 3, 2, 1}));
  run.spec.warmups = spec::Warmups::one;
  EXPECT_EQ(loss_scale_curve(run).y, (Values{3, 2, 1}));
}

}  // namespace
}  // namespace ts::views
