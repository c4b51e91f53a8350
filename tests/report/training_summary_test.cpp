#include "core/report/training_summary.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <nlohmann/json.hpp>

#include "core/report/efficiency.h"
#include "core/report/run_json.h"

namespace ts::report {
namespace {

run::Run training_run() {
  run::StartedUpdate started;
  started.spec.workload = spec::WorkloadKind::lm;
  started.spec.pass = spec::Pass::full_step;
  return run::Run(started);
}

void add(run::Run& run, std::int64_t begin_ns, double loss, run::SampleUpdate::Kind kind,
         bool skipped = false) {
  run::SampleUpdate sample;
  sample.kind = kind;
  sample.times.begin_ns = begin_ns;
  sample.times.loss = loss;
  sample.times.learning_rate = 1e-3;
  sample.times.skipped = skipped;
  if (skipped) sample.times.loss_scale = 1024;
  run.apply(sample);
}

TEST(TrainingSummary, has_nothing_before_the_first_step) {
  EXPECT_FALSE(training_summary(training_run()).loss);
}

TEST(TrainingSummary, reads_the_last_step_of_all_kinds) {
  auto run = training_run();
  add(run, 30, 2.5, run::SampleUpdate::Kind::probe);
  add(run, 10, 4.5, run::SampleUpdate::Kind::recorded, true);
  add(run, 20, 3.5, run::SampleUpdate::Kind::timed, true);
  const TrainingSummary summary = training_summary(run);
  EXPECT_EQ(summary.loss, 2.5);
  EXPECT_EQ(summary.learning_rate, 1e-3);
  EXPECT_EQ(summary.skipped_steps, 2);
  EXPECT_FALSE(summary.bad_loss);
  EXPECT_FALSE(summary.loss_scale);
  EXPECT_EQ(to_json(run, {})["training"]["skipped_steps"], 2);
}

TEST(TrainingSummary, every_step_says_of_which_kind_it_is) {
  auto run = training_run();
  add(run, 30, 4.5, run::SampleUpdate::Kind::recorded);
  add(run, 10, 4.5, run::SampleUpdate::Kind::warmup);
  add(run, 20, 3.5, run::SampleUpdate::Kind::timed);
  const auto json = to_json(run, {})["training"]["steps"];
  ASSERT_EQ(json.size(), 3U);
  EXPECT_EQ(json[0]["kind"], "warmup");
  EXPECT_EQ(json[1]["kind"], "timed");
  EXPECT_EQ(json[2]["kind"], "recorded");
}

TEST(TrainingSummary, log_lines_are_those_of_nanogpt) {
  auto run = training_run();
  add(run, 10, 4.5, run::SampleUpdate::Kind::warmup);
  for (const double loss : {3.45672, std::nan("")}) {
    run::SampleUpdate sample;
    sample.kind = run::SampleUpdate::Kind::timed;
    sample.times.begin_ns = loss > 0 ? 20 : 30;
    sample.times.total_ns = 1'150'234'000;
    sample.times.loss = loss;
    run.apply(sample);
  }
  EXPECT_EQ(log_lines(run), (std::vector<std::string>{"iter 1: loss 3.4567, time 1150.23ms",
                                                      "iter 2: loss nan, time 1150.23ms"}));
  run::Roof roof;
  roof.tflops = 2 * model_flops(run.spec)[0].per_step / 1.150234 * 1e-12;
  run.roof = roof;
  EXPECT_EQ(log_lines(run)[0], "iter 1: loss 3.4567, time 1150.23ms, mfu 50.00%");
}

TEST(TrainingSummary, says_when_a_loss_is_no_number) {
  for (const auto& [loss, word] : {std::pair{std::nan(""), "nan"},
                                   {std::numeric_limits<double>::infinity(), "inf"},
                                   {-std::numeric_limits<double>::infinity(), "-inf"}}) {
    auto run = training_run();
    add(run, 10, 4.5, run::SampleUpdate::Kind::recorded);
    add(run, 20, loss, run::SampleUpdate::Kind::timed);
    add(run, 30, loss, run::SampleUpdate::Kind::timed);
    const TrainingSummary summary = training_summary(run);
    ASSERT_TRUE(summary.bad_loss);
    EXPECT_EQ(summary.bad_loss->sentence.find("The loss of step 1 is " + std::string(word)), 0U);
    const auto json = to_json(run, {});
    EXPECT_TRUE(json["loss"].is_null());
    EXPECT_EQ(json["training"]["bad_loss"], summary.bad_loss->sentence);
  }
}

TEST(TrainingSummary, a_forward_has_no_loss) {
  run::StartedUpdate started;
  started.spec.pass = spec::Pass::forward;
  ts::run::Run run(started);
  add(run, 10, 0, run::SampleUpdate::Kind::timed);
  EXPECT_FALSE(training_summary(run).loss);
  EXPECT_TRUE(to_json(run, {})["training"].is_null());
}

TEST(MixesTypes, when_not_all_are_alike) {
  std::vector<run::NamedType> types;
  EXPECT_FALSE(mixes_types(types));
  types = {{"fc1", "fp32"}, {"loss", "fp32"}};
  EXPECT_FALSE(mixes_types(types));
  types[0].type = "fp16";
  EXPECT_TRUE(mixes_types(types));
}

TEST(OtherTypes, those_of_the_same_name) {
  const std::vector<run::NamedType> ran = {{"fc1", "fp16"}, {"norm", "fp16"}};
  const std::vector<run::NamedType> there = {{"fc1", "fp16"}, {"norm", "fp32"}, {"loss", "fp32"}};
  EXPECT_EQ(other_types(ran, there), (std::vector<run::NamedType>{{"norm", "fp32"}}));
  EXPECT_TRUE(other_types(ran, ran).empty());
}

}  // namespace
}  // namespace ts::report
