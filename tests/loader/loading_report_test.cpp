// Figures and sentences of loads whose times are given.
#include "core/loader/loading_report.h"

#include <gtest/gtest.h>

#include <cmath>
#include <nlohmann/json.hpp>

namespace ts::loader {
namespace {

// Steps of `step` that each waited `waits` before; a batch keeps a worker busy for `work`.
Loaded loaded_with(double step, double waits, double work, std::size_t workers) {
  Loaded loaded;
  loaded.plan.images = false;
  loaded.plan.workers = workers;
  loaded.plan.step_s = step;
  loaded.cores = 64;
  double now = work;
  for (int i = 0; i < 11; ++i) {
    const double begin = now + waits;
    loaded.steps.push_back(
        {.made = begin - work, .asked = now, .begin = begin, .end = begin + step});
    now = begin + step;
  }
  loaded.times.assemble = work * 11;
  loaded.times.processor = work * 11;
  loaded.samples = 110;
  return loaded;
}

TEST(LoadingReport, TheStepIsTheBottleneck) {
  const Loaded loaded = loaded_with(0.020, 0, 0.045, 4);
  const auto outcome = outcome_of(loaded, {});
  EXPECT_NEAR(outcome.value("period"), 0.020, 1e-9);
  EXPECT_NEAR(outcome.value("waits_for_data"), 0, 1e-9);
  EXPECT_NEAR(outcome.value("latency"), 0.065, 1e-9);
  EXPECT_EQ(outcome.value("enough_workers"), 3);
  EXPECT_NEAR(outcome.value("samples_a_second"), 500, 1e-6);
  const auto said = verdict_of(loaded, outcome);
  EXPECT_EQ(said[0].key, "loader.verdict.step");
  EXPECT_EQ(said[1].key, "loader.enough.workers");
}

TEST(LoadingReport, TheLoaderIsTheBottleneck) {
  const Loaded loaded = loaded_with(0.020, 0.025, 0.045, 1);
  const auto outcome = outcome_of(loaded, {});
  EXPECT_NEAR(outcome.value("waits_for_data"), 25.0 / 45, 1e-9);
  EXPECT_EQ(verdict_of(loaded, outcome)[0].key, "loader.verdict.loader");
}

TEST(LoadingReport, NoNumberOfWorkersIsEnoughOnTooFewCores) {
  Loaded loaded = loaded_with(0.020, 0.025, 0.045, 8);
  loaded.cores = 2;
  const auto outcome = outcome_of(loaded, {});
  EXPECT_TRUE(std::isnan(outcome.value("enough_workers")));
  EXPECT_EQ(verdict_of(loaded, outcome)[1].key, "loader.enough.never");
}

// Waiting for a core that another thread has makes no worker slower that has one of its own.
TEST(LoadingReport, WaitingForACoreIsNoWork) {
  Loaded loaded = loaded_with(0.020, 0.025, 0.045, 8);
  loaded.times.processor = 0.015 * 11;
  loaded.times.queued = 0.026 * 11;
  EXPECT_EQ(outcome_of(loaded, {}).value("enough_workers"), 1);
  loaded.times.queued = 1000;
  EXPECT_EQ(outcome_of(loaded, {}).value("enough_workers"), 1) << "at least what was computed";
}

// Steps wait, so no sentence may say that the workers there are were enough.
TEST(LoadingReport, WhatKeepsEnoughWorkersIsNamed) {
  Loaded busy = loaded_with(0.020, 0.025, 0.045, 1);
  busy.times.processor = 0.015 * 11;
  busy.times.queued = 0.030 * 11;
  auto said = verdict_of(busy, outcome_of(busy, {}));
  EXPECT_EQ(said[0].key, "loader.verdict.loader");
  EXPECT_EQ(said[1].key, "loader.enough.busy");
  EXPECT_NE(said[1].sentence.find("30.00 ms of it for a core"), std::string::npos)
      << said[1].sentence;
  const Loaded uneven = loaded_with(0.020, 0.005, 0.045, 4);
  said = verdict_of(uneven, outcome_of(uneven, {}));
  EXPECT_EQ(said[0].key, "loader.verdict.loader");
  EXPECT_EQ(said[1].key, "loader.enough.uneven");
}

// Steps do not wait, so no sentence may ask for more workers.
TEST(LoadingReport, WorkersThatKeepUpAreEnough) {
  const Loaded few = loaded_with(0.020, 0.0005, 0.045, 2);
  ASSERT_EQ(outcome_of(few, {}).value("enough_workers"), 3);
  const auto said = verdict_of(few, outcome_of(few, {}));
  EXPECT_EQ(said[0].key, "loader.verdict.step");
  EXPECT_EQ(said[1].key, "loader.enough.keep_up");
}

TEST(LoadingReport, ExactlyOneWorkerAndNoStepAtAll) {
  const Loaded one = loaded_with(0.02, 0, 0.02, 1);
  EXPECT_EQ(outcome_of(one, {}).value("enough_workers"), 1);
  const Loaded none = loaded_with(0, 0.02, 0.02, 1);
  EXPECT_EQ(verdict_of(none, outcome_of(none, {}))[1].key, "loader.enough.no_step");
}

TEST(LoadingReport, TheDocumentSaysThatItIsMeasured) {
  const auto question = question_of("tokens", {}, "workers=1,2");
  ASSERT_TRUE(question);
  std::vector<Answer> answers;
  for (const std::int64_t workers : question->numbers) {
    const Loaded loaded = loaded_with(0.02, 0, 0.02, static_cast<std::size_t>(workers));
    Answer answer;
    answer.point = {workers, outcome_of(loaded, {})};
    answer.verdict = verdict_of(loaded, answer.point.outcome);
    answers.push_back(answer);
  }
  const auto document = loading_json(*question, answers);
  EXPECT_EQ(document["simulated"], false);
  EXPECT_EQ(document["points"][1]["at"], "2");
  EXPECT_EQ(document["points"][0]["verdict"].size(), 2U);
  EXPECT_NEAR(document["points"][0]["figures"]["period"].get<double>(), 0.02, 1e-9);
}

}  // namespace
}  // namespace ts::loader
