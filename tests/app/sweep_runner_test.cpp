// Points on the worker, with an engine that is made up.
#include "app/session/sweep_runner.h"

#include <gtest/gtest.h>

#include <chrono>
#include <thread>

#include "tests/run/fake_engine.h"

namespace ts::app {
namespace {

using namespace std::chrono_literals;
using sweep::PointStatus;

class SweepRunnerOf : public testing::Test {
 protected:
  SweepRunnerOf() {
    spec_.axes = {*sweep::parse_axis("T=64:256:x2")};
    spec_.protocol.recorded_steps = 1;
    spec_.protocol.min_warmup_s = 0;
    spec_.protocol.max_warmup_s = 0.01;
    spec_.protocol.budget_s = 0.01;
    spec_.protocol.hard_budget_s = 0.05;
  }
  run::EngineLoader loader() {
    return [script = script_]() -> base::Result<std::unique_ptr<run::Engine>> {
      return std::make_unique<run::FakeEngine>(script);
    };
  }
  template <class Condition>
  static void drive(Session& session, SweepRunner& runner, Condition condition) {
    const auto end = std::chrono::steady_clock::now() + 20s;
    runner.update();
    while (!condition() && std::chrono::steady_clock::now() < end) {
      session.update();
      runner.update();
      std::this_thread::sleep_for(1ms);
    }
    EXPECT_TRUE(condition());
  }

  sweep::SweepSpec spec_;
  std::shared_ptr<run::FakeScript> script_ = std::make_shared<run::FakeScript>();
};

TEST_F(SweepRunnerOf, runs_every_point_once) {
  Session session(loader());
  sweep::Sweep sweep(spec_);
  SweepRunner runner(session, sweep, nullptr);
  int ended = 0;
  runner.on_point = [&](std::size_t) { ++ended; };
  drive(session, runner, [&] { return runner.idle(); });
  EXPECT_EQ(ended, 3);
  EXPECT_EQ(sweep.count(PointStatus::ok), 3U);
  EXPECT_EQ(script_->prepared, 3);
  EXPECT_EQ(sweep.points()[0].measurement.backend_ran, "flash");
}

TEST_F(SweepRunnerOf, a_run_of_the_user_goes_first_and_the_point_is_run_again) {
  spec_.protocol.min_samples = 100;
  spec_.protocol.hard_budget_s = 10;
  Session session(loader());
  sweep::Sweep sweep(spec_);
  SweepRunner runner(session, sweep, nullptr);
  drive(session, runner, [&] { return script_->steps_run > 2; });
  ASSERT_TRUE(sweep.running().has_value());
  spec::WorkloadSpec mine;
  mine.seq_len = 99;
  ASSERT_TRUE(session.start(mine, run::Protocol{.min_warmup_s = 0, .budget_s = 0.01}));
  const run::RunId id = session.asked();
  bool mine_ended = false;
  drive(session, runner, [&] {
    mine_ended = mine_ended ||
                 (session.run() != nullptr && session.run()->id == id && session.run()->finished);
    return runner.idle();
  });
  EXPECT_TRUE(mine_ended);
  EXPECT_EQ(sweep.count(PointStatus::ok), 3U);
  EXPECT_EQ(script_->prepared, 5) << "three points, one of them twice, and the user's run";
}

TEST_F(SweepRunnerOf, pause_finishes_the_point_cancel_does_not) {
  Session session(loader());
  sweep::Sweep sweep(spec_);
  SweepRunner runner(session, sweep, nullptr);
  runner.update();
  runner.pause();
  drive(session, runner, [&] { return runner.idle(); });
  EXPECT_EQ(sweep.count(PointStatus::ok), 1U);
  EXPECT_EQ(sweep.count(PointStatus::pending), 2U);

  script_->step_ns = [](std::int32_t, bool) { return std::int64_t{200'000'000}; };
  runner.resume();
  drive(session, runner, [&] { return script_->prepared == 2; });
  runner.cancel();
  drive(session, runner, [&] { return runner.idle(); });
  EXPECT_EQ(sweep.count(PointStatus::ok), 1U);
  EXPECT_EQ(sweep.count(PointStatus::cancelled), 2U);

  script_->step_ns = [](std::int32_t, bool) { return std::int64_t{1'000'000}; };
  runner.resume();
  drive(session, runner, [&] { return runner.idle(); });
  EXPECT_EQ(sweep.count(PointStatus::ok), 3U);
}

TEST_F(SweepRunnerOf, a_point_that_takes_too_long_is_ended) {
  spec_.max_point_s = 0.2;
  spec_.protocol.hard_budget_s = 60;
  spec_.protocol.min_samples = 1000;
  script_->step_ns = [](std::int32_t, bool) { return std::int64_t{20'000'000}; };
  Session session(loader());
  sweep::Sweep sweep(spec_);
  SweepRunner runner(session, sweep, nullptr);
  drive(session, runner, [&] { return runner.idle(); });
  EXPECT_EQ(sweep.count(PointStatus::too_slow), 3U);
  EXPECT_NE(sweep.points()[0].reason.sentence.find("Ended after"), std::string::npos);
}

TEST_F(SweepRunnerOf, failures_of_the_engine_are_points_that_failed) {
  script_->fails_at = 1;
  script_->fails = [](std::int32_t) {
    run::Failure failure;
    failure.sentence = "The device was lost";
    return tl::unexpected(failure);
  };
  Session session(loader());
  sweep::Sweep sweep(spec_);
  SweepRunner runner(session, sweep, nullptr);
  drive(session, runner, [&] { return runner.idle(); });
  EXPECT_EQ(sweep.count(PointStatus::failed), 3U);
  EXPECT_EQ(sweep.points()[1].reason.sentence, "The device was lost");
}

}  // namespace
}  // namespace ts::app
