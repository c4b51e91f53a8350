#include "core/run/measure.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <mutex>
#include <numeric>
#include <stdexcept>
#include <string>
#include <vector>

#include "core/run/progress_meter.h"
#include "core/run/run.h"
#include "tests/run/fake_engine.h"

namespace ts::run {
namespace {

constexpr std::int64_t kTick = 1'000'000;
using Kind = SampleUpdate::Kind;

// A measurement of a fake engine on a clock that only its steps move: what it does is exact.
class MeasureTest : public testing::Test {
 protected:
  MeasureTest() { script_->clock = &clock_; }

  FinishedUpdate run() {
    FakeEngine engine(script_);
    const MeasureContext context{engine,
                                 strings_,
                                 7,
                                 cancel_,
                                 [this](Update update) {
                                   const std::lock_guard lock(mutex_);
                                   said_.push_back(std::move(update));
                                 },
                                 [this] { return clock_.now(); }};
    said_.clear();
    return measure(spec_, protocol_, 4096, context);
  }

  template <class Wanted>
  std::vector<Wanted> all() const {
    std::vector<Wanted> found;
    for (const Update& update : said_) {
      if (const auto* wanted = std::get_if<Wanted>(&update)) found.push_back(*wanted);
    }
    return found;
  }

  // "rrrwwwtttp": the kinds of all samples in order.
  std::string kinds() const {
    std::string text;
    for (const auto& sample : all<SampleUpdate>()) {
      text += "rwtp"[static_cast<int>(sample.kind)];
    }
    return text;
  }
  int count(char kind) const {
    const std::string text = kinds();
    return static_cast<int>(std::count(text.begin(), text.end(), kind));
  }

  FakeClock clock_;
  std::shared_ptr<FakeScript> script_ = std::make_shared<FakeScript>();
  spec::WorkloadSpec spec_;
  Protocol protocol_;
  base::CancelToken cancel_;
  base::StringTable strings_;
  std::mutex mutex_;
  std::vector<Update> said_;
};

TEST_F(MeasureTest, a_steady_workload_is_recorded_warmed_up_and_timed) {
  script_->step_ns = [](std::int32_t, bool) { return 30 * kTick; };
  EXPECT_EQ(run().verdict, Verdict::ok);
  // 10 warm-up steps compare 5 with 5; one recorded step readies the probes; identical samples
  // have a confidence interval of no width, so the probes decide: 6 have an interval too.
  EXPECT_EQ(kinds(),
            "rrr"
            "wwwwwwwwww"
            "w"
            "tttptttptttptttptttptttp");
}

TEST_F(MeasureTest, the_snapshot_of_the_allocator_is_told_after_recording) {
  run();
  EXPECT_TRUE(all<SnapshotUpdate>().empty()) << "this allocator keeps none";
  script_->snapshot = std::make_shared<allocator::Snapshot>();
  run();
  ASSERT_EQ(all<SnapshotUpdate>().size(), 1U);
  EXPECT_EQ(all<SnapshotUpdate>().front().snapshot, script_->snapshot);
  EXPECT_EQ(all<SnapshotUpdate>().front().id, 7U);
}

TEST_F(MeasureTest, a_refusal_is_told_with_what_the_allocator_held) {
  script_->snapshot = std::make_shared<allocator::Snapshot>();
  script_->fails_at = 0;
  script_->fails = [](std::int32_t) {
    Failure failure;
    failure.verdict = Verdict::oom;
    return tl::unexpected(failure);
  };
  EXPECT_EQ(run().verdict, Verdict::oom);
  EXPECT_EQ(all<SnapshotUpdate>().size(), 1U);
}

// Only a recording knows the operator, and with a number of warm-ups it comes last.
TEST_F(MeasureTest, a_refusal_before_the_recording_is_recorded_too) {
  script_->peak = 3000;
  script_->fails = [this](std::int32_t) {
    Failure failure;
    failure.verdict = Verdict::oom;
    failure.bytes_asked = 5;
    if (script_->recorded) failure.op = "aten::bmm";
    return tl::unexpected(failure);
  };
  protocol_.min_samples = protocol_.max_samples = 2;
  spec_.warmups = spec::Warmups::two;
  // The first warm-up, the second, the first timed step, the second.
  for (const std::int32_t at : {0, 1, 2, 3}) {
    script_->fails_at = at;
    const auto end = run();
    EXPECT_EQ(end.verdict, Verdict::oom) << at;
    // Three steps are recorded: what broke the fourth does not come again.
    EXPECT_EQ(end.failure.op, at < 3 ? "aten::bmm" : "") << at;
    EXPECT_EQ(end.failure.bytes_asked, 5);
    EXPECT_EQ(count('r'), std::min(at, 3)) << at;
    ASSERT_FALSE(all<PeakUpdate>().empty());
    EXPECT_EQ(all<PeakUpdate>().back().bytes, 3000);
    EXPECT_EQ(script_->executions_alive, 0);
  }
}

TEST_F(MeasureTest, the_peak_is_what_the_allocator_counted_where_records_were_lost) {
  script_->peak = std::int64_t{20} << 20;
  script_->loses_records = true;
  run();
  StartedUpdate started;
  started.id = 7;
  run::Run shown(started);
  for (Update& update : said_) shown.apply(std::move(update));
  EXPECT_GE(shown.dropped, 100U);
  EXPECT_NE(shown.memory.peak_bytes(), script_->peak);
  EXPECT_EQ(shown.peak_allocated(), script_->peak);
}

TEST_F(MeasureTest, stages_come_in_order_and_progress_never_falls) {
  script_->step_ns = [](std::int32_t number, bool) { return (20 + number % 7) * kTick; };
  run();
  std::vector<Stage> stages;
  float fraction = 0;
  double left = -1;
  for (const auto& progress : all<ProgressUpdate>()) {
    EXPECT_EQ(progress.id, 7U);
    if (stages.empty() || stages.back() != progress.stage) stages.push_back(progress.stage);
    EXPECT_GE(progress.fraction, fraction);
    EXPECT_LE(progress.fraction, 1.0F);
    fraction = progress.fraction;
    left = progress.seconds_left;
  }
  EXPECT_EQ(stages,
            (std::vector<Stage>{Stage::preparing, Stage::recording, Stage::warmup, Stage::timing}));
  EXPECT_GT(fraction, 0.3F);
  EXPECT_GE(left, 0);
}

TEST_F(MeasureTest, a_step_is_compiled_before_it_is_prepared) {
  spec_.compile = spec::Compile::inductor;
  int compiled = 0;
  script_->compile = [&](const base::CancelToken&) -> Outcome<void> {
    EXPECT_EQ(script_->prepared, 0);
    ++compiled;
    return {};
  };
  EXPECT_EQ(run().verdict, Verdict::ok);
  EXPECT_EQ(compiled, 1);
  EXPECT_EQ(all<ProgressUpdate>().front().stage, Stage::compiling);

  script_->compile = [](const base::CancelToken&) -> Outcome<void> {
    Failure failure;
    failure.sentence = "No compiler";
    return tl::unexpected(failure);
  };
  const FinishedUpdate failed = run();
  EXPECT_EQ(failed.verdict, Verdict::failed);
  EXPECT_EQ(failed.failure.sentence, "No compiler");

  spec_.compile = spec::Compile::eager;
  EXPECT_EQ(run().verdict, Verdict::ok);
}

TEST_F(MeasureTest, progress_is_not_told_more_often_than_the_eye_sees) {
  script_->step_ns = [](std::int32_t, bool) { return kTick / 100; };
  run();
  EXPECT_GT(all<SampleUpdate>().size(), 1000U);  // 0.2 s of warm-up at 10 us
  EXPECT_LT(all<ProgressUpdate>().size(), 20U);
}

TEST_F(MeasureTest, seconds_left_are_right_for_equal_steps) {
  script_->step_ns = [](std::int32_t, bool) { return 100 * kTick; };
  protocol_.min_samples = 40;  // what ends the timing of equal steps
  const std::int64_t begin = clock_.now();
  const auto end = run();
  const double whole = static_cast<double>(end.end_ns - begin) * 1e-9;
  double elapsed = 0;
  for (const Update& update : said_) {
    if (std::holds_alternative<SampleUpdate>(update)) elapsed += 0.1;
    if (const auto* progress = std::get_if<ProgressUpdate>(&update)) {
      if (progress->seconds_left >= 0) {
        EXPECT_NEAR(elapsed + progress->seconds_left, whole, 0.25) << elapsed;
        EXPECT_NEAR(progress->fraction, elapsed / whole, 0.1);
      }
    }
  }
}

// Steps of equal time, long ones included.
TEST_F(MeasureTest, the_time_of_a_whole_run_is_known_before_it) {
  for (const std::int64_t step_ns :
       {20'000'000LL, 100'000'000LL, 2'000'000'000LL, 9'000'000'000LL, 100'000'000'000LL}) {
    for (const auto warmups : {spec::Warmups::automatic, spec::Warmups::five}) {
      spec_.warmups = warmups;
      script_->step_ns = [&](std::int32_t, bool) { return step_ns; };
      const std::int64_t begin = clock_.now();
      const auto end = run();
      const double step_s = static_cast<double>(step_ns) * 1e-9;
      const double whole = static_cast<double>(end.end_ns - begin) * 1e-9;
      // Short steps that scatter are timed for the whole budget, these are all alike.
      EXPECT_NEAR(run_seconds(spec_, protocol_, step_s), whole,
                  std::max(2 * step_s, protocol_.budget_s))
          << step_s;
    }
  }
}

TEST_F(MeasureTest, warm_up_goes_on_while_steps_get_faster) {
  script_->step_ns = [](std::int32_t number, bool) {
    return number < 30 ? (100 - number) * kTick : 70 * kTick;
  };
  const auto end = run();
  EXPECT_TRUE(end.warmup_stable);
  EXPECT_GT(count('w'), 25);
}

TEST_F(MeasureTest, warm_up_lasts_its_shortest_time) {
  script_->step_ns = [](std::int32_t, bool) { return kTick; };
  run();
  EXPECT_GE(count('w'), 200);  // 0.2 s
  EXPECT_LE(count('w'), 202);
}

TEST_F(MeasureTest, warm_up_that_never_settles_is_flagged) {
  script_->step_ns = [](std::int32_t number, bool) { return (100 + 10 * number) * kTick; };
  const auto end = run();
  EXPECT_EQ(end.verdict, Verdict::ok);
  EXPECT_FALSE(end.warmup_stable);
}

TEST_F(MeasureTest, timing_stops_at_the_budget_when_samples_scatter) {
  script_->step_ns = [](std::int32_t number, bool) {
    return number % 2 == 0 ? 20 * kTick : 60 * kTick;
  };
  protocol_.probe_every = 0;
  run();
  EXPECT_NEAR(count('t'), 50, 2);  // 2 s at 40 ms
  EXPECT_EQ(count('p'), 0);
}

TEST_F(MeasureTest, fewest_samples_are_taken_beyond_the_budget) {
  script_->step_ns = [](std::int32_t, bool) { return 1000 * kTick; };
  run();
  EXPECT_EQ(count('t'), 10);
}

TEST_F(MeasureTest, hard_budget_ends_even_that) {
  script_->step_ns = [](std::int32_t, bool) { return 25'000 * kTick; };
  const auto end = run();
  EXPECT_EQ(end.verdict, Verdict::ok);
  EXPECT_FALSE(end.warmup_stable);
  EXPECT_EQ(kinds(),
            "rrr"
            "w"
            "w"
            "ttt");
}

TEST_F(MeasureTest, most_samples_end_a_fast_workload) {
  script_->step_ns = [](std::int32_t number, bool) { return number % 2 == 0 ? kTick / 10 : kTick; };
  protocol_.max_samples = 40;
  protocol_.probe_every = 0;
  run();
  EXPECT_EQ(count('t'), 40);
}

TEST_F(MeasureTest, probing_every_step_still_takes_samples) {
  script_->step_ns = [](std::int32_t, bool) { return 30 * kTick; };
  protocol_.probe_every = 1;
  run();
  EXPECT_EQ(count('t'), 10);
  EXPECT_EQ(count('p'), 9);
}

TEST_F(MeasureTest, probes_are_recorded_and_thrown_away) {
  std::vector<bool> recorded;
  script_->step_ns = [&](std::int32_t, bool with_recorder) {
    recorded.push_back(with_recorder);
    return 30 * kTick;
  };
  run();
  const std::string text = kinds();
  ASSERT_EQ(recorded.size(), text.size());
  const std::size_t ring_maker = text.rfind('w');
  for (std::size_t i = 0; i < text.size(); ++i) {
    EXPECT_EQ(recorded[i], text[i] == 'r' || text[i] == 'p' || i == ring_maker) << i;
  }
  std::size_t slices = 0;
  std::size_t memory_records = 0;
  for (const auto& batch : all<BatchUpdate>()) {
    slices += batch.batch.slices.size();
    memory_records += batch.batch.memory.size();
  }
  EXPECT_EQ(slices, 3U);  // the three recorded steps
  EXPECT_EQ(memory_records, 6U);
}

TEST_F(MeasureTest, every_batch_comes_before_the_first_unrecorded_step) {
  run();
  bool unrecorded = false;
  for (const Update& update : said_) {
    if (const auto* sample = std::get_if<SampleUpdate>(&update)) {
      unrecorded = unrecorded || sample->kind != Kind::recorded;
    }
    EXPECT_FALSE(unrecorded && std::holds_alternative<BatchUpdate>(update));
  }
}

TEST_F(MeasureTest, facts_are_told_again_when_they_are_known_better) {
  run();
  const auto facts = all<FactsUpdate>();
  ASSERT_EQ(facts.size(), 2U);
  EXPECT_EQ(facts[0].facts.backend_ran, "");
  EXPECT_EQ(facts[1].facts.backend_ran, "flash");
  EXPECT_EQ(facts[1].facts.parameters, 1234);
  EXPECT_EQ(facts[1].facts.memory_limit, 4096);
}

TEST_F(MeasureTest, a_failure_at_any_step_keeps_what_was_measured) {
  script_->step_ns = [](std::int32_t, bool) { return 30 * kTick; };
  script_->fails = [](std::int32_t) { return out_of_memory(); };
  const int whole = 38;
  for (int step = 0; step < whole; ++step) {
    script_->fails_at = step;
    const auto end = run();
    EXPECT_EQ(end.verdict, Verdict::oom);
    EXPECT_EQ(end.failure.bytes_asked, std::int64_t{512} << 20);
    EXPECT_EQ(end.id, 7U);
    EXPECT_EQ(all<SampleUpdate>().size(), static_cast<std::size_t>(step));
    EXPECT_EQ(script_->executions_alive, 0);
    std::size_t slices = 0;
    for (const auto& batch : all<BatchUpdate>()) slices += batch.batch.slices.size();
    EXPECT_EQ(slices, static_cast<std::size_t>(std::min(step, 3)));
  }
  script_->fails_at = whole;
  EXPECT_EQ(run().verdict, Verdict::ok);
}

TEST_F(MeasureTest, a_cancel_at_any_step_ends_the_run) {
  script_->step_ns = [](std::int32_t, bool) { return 30 * kTick; };
  for (int step = 0; step < 38; ++step) {
    cancel_ = base::CancelToken{};
    script_->before_step = [&](std::int32_t number) {
      if (number == step) cancel_.cancel();
    };
    const auto end = run();
    EXPECT_EQ(end.verdict, Verdict::cancelled) << step;
    EXPECT_EQ(all<SampleUpdate>().size(), static_cast<std::size_t>(step));
    EXPECT_EQ(script_->executions_alive, 0);
  }
}

TEST_F(MeasureTest, a_cancelled_run_is_not_prepared) {
  cancel_.cancel();
  EXPECT_EQ(run().verdict, Verdict::cancelled);
  EXPECT_EQ(script_->prepared, 0);
}

TEST_F(MeasureTest, out_of_memory_while_preparing_is_a_verdict) {
  script_->before_prepare = [](const base::CancelToken&) -> Outcome<void> {
    return out_of_memory();
  };
  EXPECT_EQ(run().verdict, Verdict::oom);
  EXPECT_TRUE(all<SampleUpdate>().empty());
}

TEST_F(MeasureTest, exceptions_are_failures_with_their_text) {
  script_->before_step = [](std::int32_t number) {
    if (number == 4) throw std::runtime_error("mat1 and mat2 shapes cannot be multiplied");
  };
  EXPECT_EQ(run().failure.sentence,
            "The engine stopped: mat1 and mat2 shapes cannot be multiplied");
  script_->before_step = [](std::int32_t) { throw std::bad_alloc(); };
  EXPECT_EQ(run().failure.sentence, "The system has no memory left for the program itself");
  script_->before_step = [](std::int32_t) { throw 5; };
  EXPECT_EQ(run().verdict, Verdict::failed);
  EXPECT_EQ(script_->executions_alive, 0);
}

TEST_F(MeasureTest, a_failure_that_claims_success_is_still_a_failure) {
  script_->fails = [](std::int32_t) {
    Failure failure;
    failure.verdict = Verdict::ok;
    return tl::unexpected(failure);
  };
  script_->fails_at = 1;
  EXPECT_EQ(run().verdict, Verdict::failed);
}

TEST_F(MeasureTest, without_recorded_steps_set_up_and_timing_remain) {
  protocol_.recorded_steps = 0;
  script_->step_ns = [](std::int32_t, bool) { return 30 * kTick; };
  EXPECT_EQ(run().verdict, Verdict::ok);
  EXPECT_EQ(count('r'), 0);
  EXPECT_EQ(count('t'), 18);
}

TEST(WarmupState, follows_the_rule) {
  Protocol protocol;
  const std::vector<double> steady(10, 5.0);
  EXPECT_EQ(warmup_state(steady, 0.1, protocol), Warmup::cold);
  EXPECT_EQ(warmup_state(steady, 0.2, protocol), Warmup::warm);
  const std::vector<double> few(9, 5.0);
  EXPECT_EQ(warmup_state(few, 4.9, protocol), Warmup::cold);
  EXPECT_EQ(warmup_state(few, 5.0, protocol), Warmup::unstable);
  std::vector<double> falling(10, 5.0);
  std::fill_n(falling.begin(), 5, 5.2);  // 4 % slower
  EXPECT_EQ(warmup_state(falling, 1, protocol), Warmup::cold);
}

TEST(TimingIsEnough, follows_the_rule) {
  Protocol protocol;
  const std::vector<double> steady(10, 5.0);
  EXPECT_TRUE(timing_is_enough(steady, 0.1, protocol));
  EXPECT_FALSE(timing_is_enough(std::vector<double>(9, 5.0), 0.1, protocol));
  EXPECT_FALSE(timing_is_enough(std::vector<double>(9, 5.0), 59, protocol));
  EXPECT_TRUE(timing_is_enough(std::vector<double>(9, 5.0), 60, protocol));
  std::vector<double> wide(20);
  std::iota(wide.begin(), wide.end(), 100.0);
  EXPECT_FALSE(timing_is_enough(wide, 1.9, protocol));
  EXPECT_TRUE(timing_is_enough(wide, 2.0, protocol));
  EXPECT_TRUE(timing_is_enough({}, 60, protocol));
}

TEST_F(MeasureTest, a_number_of_warm_ups_comes_first_and_recording_last) {
  script_->step_ns = [](std::int32_t number, bool) {
    return number == 0 ? 90 * kTick : 30 * kTick;
  };
  for (const auto& [warmups, expected] : {std::pair{spec::Warmups::none, std::string()},
                                          std::pair{spec::Warmups::two, std::string("ww")},
                                          std::pair{spec::Warmups::five, std::string("wwwww")}}) {
    spec_.warmups = warmups;
    EXPECT_EQ(run().verdict, Verdict::ok);
    EXPECT_EQ(kinds(), expected + "tttttttttt" + "rrr") << expected;
    // The step that pays for the start is the first sample, not hidden.
    EXPECT_EQ(all<SampleUpdate>().front().times.total_ns, 90 * kTick);
    EXPECT_EQ(all<FactsUpdate>().back().facts.backend_ran, "flash");
    // The log begins with the set-up of the recorded steps.
    EXPECT_EQ(script_->prepared, 2);
    script_->prepared = 0;
  }
}

}  // namespace
}  // namespace ts::run
