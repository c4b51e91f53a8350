#include "app/session/session.h"

#include <gtest/gtest.h>

#include <thread>

#include "tests/run/fake_engine.h"

namespace ts::app {
namespace {

using namespace std::chrono_literals;

run::Protocol quick() {
  run::Protocol protocol;
  protocol.recorded_steps = 1;
  protocol.min_warmup_s = 0;
  protocol.max_warmup_s = 0.05;
  protocol.budget_s = 0.05;
  protocol.hard_budget_s = 0.1;
  return protocol;
}

class SessionOf : public testing::Test {
 protected:
  run::EngineLoader loader() {
    return [script = script_]() -> base::Result<std::unique_ptr<run::Engine>> {
      return std::make_unique<run::FakeEngine>(script);
    };
  }
  // Waits for what another thread brings about; the test fails when it does not come.
  template <class Condition>
  static void wait_for(Session& session, Condition condition) {
    const auto end = std::chrono::steady_clock::now() + 20s;
    while (!condition() && std::chrono::steady_clock::now() < end) {
      session.update();
      std::this_thread::sleep_for(1ms);
    }
    EXPECT_TRUE(condition());
  }
  static void wait_for_end(Session& session) {
    wait_for(session, [&] { return !session.busy(); });
  }

  std::shared_ptr<run::FakeScript> script_ = std::make_shared<run::FakeScript>();
};

TEST_F(SessionOf, runs_what_it_is_asked_for) {
  Session session(loader());
  EXPECT_EQ(session.run(), nullptr);
  spec::WorkloadSpec spec;
  spec.seq_len = 99;
  ASSERT_TRUE(session.start(spec, quick()));
  EXPECT_TRUE(session.busy());
  wait_for_end(session);
  ASSERT_NE(session.run(), nullptr);
  EXPECT_EQ(session.run()->spec, spec);
  EXPECT_EQ(session.run()->verdict, run::Verdict::ok);
  EXPECT_NE(session.engine(), nullptr);
}

// A frame of the window takes a part of what was told, in its order, and the next one goes on.
TEST_F(SessionOf, applies_what_it_is_told_in_parts) {
  Session whole(loader());
  ASSERT_TRUE(whole.start(spec::WorkloadSpec(), quick()));
  wait_for_end(whole);
  Session session(loader());
  ASSERT_TRUE(session.start(spec::WorkloadSpec(), quick()));
  wait_for(session, [] { return true; });
  const auto end = std::chrono::steady_clock::now() + 20s;
  bool was_behind = false;
  while (!was_behind && session.busy() && std::chrono::steady_clock::now() < end) {
    std::this_thread::sleep_for(50ms);
    session.update(0);
    was_behind = session.behind();
  }
  while (session.busy() && std::chrono::steady_clock::now() < end) session.update(0);
  EXPECT_TRUE(was_behind) << "several things were told in 50 ms, one was applied";
  EXPECT_FALSE(session.busy());
  ASSERT_NE(session.run(), nullptr);
  EXPECT_EQ(session.run()->verdict, run::Verdict::ok);
  EXPECT_EQ(session.run()->trace.tracks().size(), whole.run()->trace.tracks().size());
}

TEST_F(SessionOf, does_not_start_the_impossible) {
  Session session(loader());
  spec::WorkloadSpec spec;
  spec.seq_len = 0;
  EXPECT_FALSE(session.start(spec, quick()));
  EXPECT_FALSE(session.busy());
  EXPECT_EQ(session.run(), nullptr);
}

TEST_F(SessionOf, a_cancelled_run_stays_on_screen_as_cancelled) {
  script_->step_ns = [](std::int32_t, bool) { return std::int64_t{30'000'000'000}; };
  Session session(loader());
  ASSERT_TRUE(session.start(spec::WorkloadSpec(), quick()));
  wait_for(session, [&] { return session.run() != nullptr; });
  session.cancel();
  wait_for_end(session);
  EXPECT_EQ(session.run()->verdict, run::Verdict::cancelled);
}

TEST_F(SessionOf, the_newest_request_wins) {
  script_->step_ns = [](std::int32_t, bool) { return std::int64_t{30'000'000'000}; };
  Session session(loader());
  spec::WorkloadSpec spec;
  for (std::int64_t t = 10; t < 30; ++t) {
    spec.seq_len = t;
    ASSERT_TRUE(session.start(spec, quick()));
    session.update();
  }
  wait_for(session, [&] { return session.run() != nullptr && session.run()->spec == spec; });
  EXPECT_TRUE(session.busy());
  session.cancel();
  wait_for_end(session);
  EXPECT_EQ(session.run()->spec, spec);
}

TEST_F(SessionOf, without_an_engine_says_why_and_stays_usable) {
  Session session([]() -> base::Result<std::unique_ptr<run::Engine>> {
    return base::fail("There is no engine here");
  });
  wait_for(session, [&] { return !session.engine_problem().empty(); });
  EXPECT_EQ(session.engine_problem().sentence, "There is no engine here");
  EXPECT_EQ(session.engine(), nullptr);
  ASSERT_TRUE(session.start(spec::WorkloadSpec(), quick()));
  wait_for_end(session);
  ASSERT_NE(session.run(), nullptr);
  EXPECT_EQ(session.run()->verdict, run::Verdict::failed);
}

TEST_F(SessionOf, an_end_in_the_middle_of_a_run_leaves_no_thread_and_no_execution) {
  script_->step_ns = [](std::int32_t, bool) { return std::int64_t{30'000'000'000}; };
  {
    Session session(loader());
    ASSERT_TRUE(session.start(spec::WorkloadSpec(), quick()));
    wait_for(session, [&] { return script_->executions_alive > 0; });
  }
  EXPECT_EQ(script_->executions_alive, 0);
  EXPECT_EQ(script_->engines_alive, 0);
}

}  // namespace
}  // namespace ts::app
