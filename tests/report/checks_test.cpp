// Every check of a run with a value that passes and one that does not.
#include "core/report/checks.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <optional>
#include <set>
#include <string>
#include <string_view>

#include "core/spec/workload_traffic.h"
#include "core/trace/kernel_class.h"
#include "tests/memory/records.h"
#include "tests/spec/preset_spec.h"

namespace ts::report {
namespace {

// A finished run that tests fill.
class Checks : public ::testing::Test {
 protected:
  void begin(const spec::WorkloadSpec& spec) {
    run::StartedUpdate started;
    started.id = 1;
    started.spec = spec;
    run_.emplace(started);
  }
  void step(double ms, run::SampleUpdate::Kind kind = run::SampleUpdate::Kind::timed,
            double loss = 0, double waited_ms = 0) {
    run::SampleUpdate sample;
    sample.id = 1;
    sample.kind = kind;
    sample.times.total_ns = static_cast<std::int64_t>(ms * 1e6);
    sample.times.waited_ns = static_cast<std::int64_t>(waited_ms * 1e6);
    sample.times.loss = loss;
    run_->apply(sample);
  }
  void steps(int count, double ms) {
    for (int i = 0; i < count; ++i) step(ms);
  }
  // The check whose reason is `why`; unset: it did not apply.
  std::optional<CheckResult> check(const char* why) {
    run_->finished = true;
    for (const CheckResult& one : checks_of(*run_, strings_)) {
      if (one.why.key == std::string("check.why.") + why) return one;
    }
    return std::nullopt;
  }
  CheckState state(const char* why) {
    const auto one = check(why);
    EXPECT_TRUE(one) << why << " does not apply";
    return one ? one->state : CheckState::noted;
  }
  static spec::WorkloadSpec training() {
    spec::WorkloadSpec spec = spec::preset_spec(spec::WorkloadKind::lm, "tiny");
    spec.pass = spec::Pass::full_step;
    return spec;
  }
  base::StringTable strings_;
  std::optional<run::Run> run_;
};

TEST_F(Checks, OnlyARunThatEndedWellHasThem) {
  begin({});
  steps(20, 1);
  EXPECT_TRUE(checks_of(*run_, strings_).empty());
  run_->finished = true;
  EXPECT_FALSE(checks_of(*run_, strings_).empty());
  run_->verdict = run::Verdict::oom;
  EXPECT_TRUE(checks_of(*run_, strings_).empty());
}

TEST_F(Checks, TheirIdsAreInOrderAndTheirTableHasAllOfThem) {
  begin(training());
  step(10, run::SampleUpdate::Kind::recorded, 6.9);
  steps(120, 10);
  run_->finished = true;
  const auto all = checks_of(*run_, strings_);
  ASSERT_GE(all.size(), 9U);
  const auto number = [](const CheckResult& one) {
    return std::stoi(std::string(one.id).substr(2));
  };
  EXPECT_TRUE(std::ranges::is_sorted(all, {}, number));
  const io::TextTable table = checks_table(all);
  ASSERT_EQ(table.rows.size(), all.size());
  for (const auto& row : table.rows) {
    EXPECT_EQ(row.size(), table.columns.size());
    EXPECT_EQ(row[2].find('{'), std::string::npos) << row[2];
  }
}

TEST_F(Checks, TheFirstStepIsAtMostAFifthLonger) {
  for (const auto& [first, expected] :
       {std::pair{11.9, CheckState::passed}, {12.2, CheckState::failed}}) {
    begin({});
    step(first);
    steps(19, 10);
    EXPECT_EQ(state("first_step"), expected) << first;
  }
  begin({});
  steps(3, 10);
  EXPECT_FALSE(check("first_step")) << "too few steps";
}

TEST_F(Checks, TheSpreadIsBelowFivePercent) {
  for (const auto& [other, expected] :
       {std::pair{10.8, CheckState::passed}, {11.2, CheckState::failed}}) {
    begin({});
    for (int i = 0; i < 20; ++i) step(i % 2 == 0 ? 10 : other);
    EXPECT_EQ(state("spread"), expected) << other;
  }
}

TEST_F(Checks, TheTailNeedsAHundredSteps) {
  begin({});
  steps(50, 10);
  EXPECT_FALSE(check("tail"));
  steps(60, 10);
  EXPECT_EQ(state("tail"), CheckState::passed);
  for (int i = 0; i < 5; ++i) step(16);
  EXPECT_EQ(state("tail"), CheckState::failed);
}

TEST_F(Checks, LostRecordsFail) {
  begin({});
  steps(10, 1);
  EXPECT_EQ(state("recording"), CheckState::passed);
  run_->dropped = 3;
  EXPECT_EQ(state("recording"), CheckState::failed);
  EXPECT_NE(check("recording")->found.sentence.find("3 records lost"), std::string::npos);
}

TEST_F(Checks, AClockOnAGpuIsComparedWithOneThatDoesNotWait) {
  begin({});
  steps(10, 1);
  EXPECT_FALSE(check("waited")) << "on a CPU calls return with their result";
  spec::WorkloadSpec cuda;
  cuda.device = spec::DeviceKind::cuda;
  begin(cuda);
  for (int i = 0; i < 10; ++i) step(8, run::SampleUpdate::Kind::timed, 0, 7.5);
  EXPECT_EQ(check("waited")->found.sentence, "8.000 ms; a clock that does not wait says 0.500 ms");
}

TEST_F(Checks, FlashForShortSequencesIsWorthASecondLook) {
  for (const auto& [T, expected] : {std::pair{512, CheckState::noted}, {513, CheckState::passed}}) {
    spec::WorkloadSpec spec;
    spec.seq_len = T;
    spec.backend = spec::AttentionBackend::flash;
    begin(spec);
    run_->facts.backend_ran = "flash";
    EXPECT_EQ(state("short_flash"), expected) << T;
    EXPECT_EQ(state("backend"), CheckState::passed);
    run_->facts.backend_ran = "math";
    EXPECT_FALSE(check("short_flash"));
    EXPECT_EQ(state("backend"), CheckState::failed);
  }
  spec::WorkloadSpec any;
  any.backend = spec::AttentionBackend::automatic;
  begin(any);
  run_->facts.backend_ran = "flash";
  EXPECT_FALSE(check("backend")) << "nothing was asked for";
}

TEST_F(Checks, SixteenBitSizesAreMultiplesOfEight) {
  spec::WorkloadSpec spec = training();
  begin(spec);
  EXPECT_FALSE(check("multiples")) << "in fp32";
  spec.autocast = spec::Autocast::bf16;
  begin(spec);
  EXPECT_EQ(state("multiples"), CheckState::passed);
  spec.vocab = 50257;
  begin(spec);
  EXPECT_EQ(state("multiples"), CheckState::failed);
  EXPECT_NE(check("multiples")->found.sentence.find("vocab = 50257"), std::string::npos);
}

TEST_F(Checks, TheFirstLossIsThatOfAnUntrainedModel) {
  for (const auto& [loss, expected] :
       {std::pair{6.95, CheckState::passed}, {7.1, CheckState::noted}}) {
    begin(training());  // a vocabulary of 1,000: ln V is 6.908
    step(10, run::SampleUpdate::Kind::recorded, loss);
    step(10, run::SampleUpdate::Kind::timed, 1);
    EXPECT_EQ(state("first_loss"), expected) << loss;
  }
  spec::WorkloadSpec own = training();
  own.corpus = "text.txt";
  begin(own);
  step(10, run::SampleUpdate::Kind::recorded, 3);
  EXPECT_FALSE(check("first_loss")) << "its tokens are not random";
}

TEST_F(Checks, NothingIsFasterThanItsPeak) {
  begin(training());
  EXPECT_FALSE(check("utilisation")) << "nothing was timed";
  for (const auto& [tflops, expected] :
       {std::pair{1000.0, CheckState::passed}, {1e-6, CheckState::failed}}) {
    begin(training());
    steps(10, 10);
    run_->roof = run::Roof{.dtype = spec::DataType::fp32, .size = 2048, .tflops = tflops};
    EXPECT_EQ(state("utilisation"), expected) << tflops;
  }
}

TEST_F(Checks, RecordedStepsAreAboutAsLong) {
  begin({});
  steps(20, 10);
  EXPECT_FALSE(check("traced")) << "no probe";
  for (const auto& [ms, expected] :
       {std::pair{10.1, CheckState::passed}, {12.0, CheckState::failed}}) {
    begin({});
    for (int i = 0; i < 10; ++i) {
      step(10);
      step(ms, run::SampleUpdate::Kind::probe);
    }
    step(10);
    EXPECT_EQ(state("traced"), expected) << ms;
  }
}

TEST_F(Checks, TheTypeSuitsTheCard) {
  using Type = spec::DataType;
  for (const auto& [type, capability, expected] :
       {std::tuple{Type::bf16, "8.0", CheckState::passed},
        {Type::bf16, "7.5", CheckState::failed},
        {Type::fp16, "7.5", CheckState::passed},
        {Type::fp16, "9.0", CheckState::noted}}) {
    spec::WorkloadSpec spec;
    spec.dtype = type;
    begin(spec);
    EXPECT_FALSE(check("bf16")) << "no card";
    run_->card = spec::Gpu{};
    run_->card->compute_capability = capability;
    EXPECT_EQ(state("bf16"), expected) << to_string(type) << " " << capability;
  }
}

TEST_F(Checks, OnlyFp16HasALossScale) {
  spec::WorkloadSpec spec = training();
  const auto now = [&] {
    begin(spec);
    return state("scaler");
  };
  EXPECT_EQ(now(), CheckState::passed);
  spec.autocast = spec::Autocast::fp16;
  EXPECT_EQ(now(), CheckState::failed);
  spec.grad_scaler = true;
  EXPECT_EQ(now(), CheckState::passed);
  spec.pass = spec::Pass::forward;
  begin(spec);
  EXPECT_FALSE(check("scaler")) << "nothing is trained";
}

TEST_F(Checks, LongSequencesWantCheckpoints) {
  spec::WorkloadSpec spec = training();
  const auto at = [&](std::int64_t T) {
    spec.seq_len = T;
    begin(spec);
    return state("checkpoint");
  };
  EXPECT_EQ(at(1024), CheckState::passed);
  EXPECT_EQ(at(2048), CheckState::noted);
  spec.checkpoint = spec::Checkpoint::blocks;
  EXPECT_EQ(at(2048), CheckState::passed);
}

TEST_F(Checks, AHabitFailsTheOrder) {
  spec::WorkloadSpec spec = training();
  spec.clip = 0.5;
  for (const auto habit : {spec::Habit::no_zero_grad, spec::Habit::clip_after_step,
                           spec::Habit::clip_scaled, spec::Habit::rebuild}) {
    spec.habit = habit;
    begin(spec);
    EXPECT_EQ(state("order"), CheckState::failed) << to_string(habit);
  }
  spec.habit = spec::Habit::kept_output;
  begin(spec);
  EXPECT_EQ(state("order"), CheckState::passed);
}

TEST_F(Checks, AClockThatDoesNotWaitFails) {
  spec::WorkloadSpec spec;
  spec.device = spec::DeviceKind::cuda;
  spec.habit = spec::Habit::no_sync;
  begin(spec);
  steps(10, 0.5);
  EXPECT_EQ(state("waited"), CheckState::failed);
  for (run::StepTimes& one : run_->timed_steps) one.device_ns = 8'000'000;
  EXPECT_NE(check("waited")->found.sentence.find("8.000 ms"), std::string::npos);
}

TEST_F(Checks, FusedProjectionsAreOneProduct) {
  spec::WorkloadSpec spec = training();
  begin(spec);
  EXPECT_EQ(state("qkv"), CheckState::noted);
  spec.fused_qkv = true;
  begin(spec);
  EXPECT_EQ(state("qkv"), CheckState::passed);
  begin(spec::preset_spec(spec::WorkloadKind::mlp, "w7"));
  EXPECT_FALSE(check("qkv"));
}

TEST_F(Checks, TheFirstUseOfALibraryIsNotTimed) {
  spec::WorkloadSpec spec;
  spec.warmups = spec::Warmups::none;
  begin(spec);
  steps(10, 1);
  EXPECT_EQ(state("first_uses"), CheckState::failed);
  run_->earlier_runs = 1;
  EXPECT_EQ(state("first_uses"), CheckState::passed);
}

TEST_F(Checks, ACardIsWatched) {
  begin({});
  steps(10, 1);
  EXPECT_FALSE(check("monitored")) << "on a CPU";
  spec::WorkloadSpec spec;
  spec.device = spec::DeviceKind::cuda;
  begin(spec);
  steps(10, 1);
  EXPECT_EQ(state("monitored"), CheckState::noted);
  run_->timed_steps.front().gpu = run::GpuState{};
  EXPECT_EQ(state("monitored"), CheckState::passed);
}

TEST_F(Checks, ValuesAreHeldToFp64) {
  spec::WorkloadSpec spec = training();
  begin(spec);
  EXPECT_FALSE(check("values")) << "the protocol does not ask for it";
  const auto with = [&](double values, std::optional<double> gradients) {
    begin(spec);
    run_->values =
        run::ValueErrors{.values = values, .gradients = gradients, .worst_gradient = "head.weight"};
    return state("values");
  };
  EXPECT_EQ(with(1e-6, std::nullopt), CheckState::passed);
  EXPECT_EQ(with(1e-6, 2e-5), CheckState::failed);
  EXPECT_NE(check("values")->found.sentence.find("2.0e-05"), std::string::npos);
  EXPECT_NE(check("values")->found.sentence.find("head.weight"), std::string::npos);
  EXPECT_EQ(with(NAN, 1e-7), CheckState::failed);
  EXPECT_EQ(with(1e-7, NAN), CheckState::failed);
  spec.autocast = spec::Autocast::bf16;
  EXPECT_EQ(with(1e-2, 1e-2), CheckState::passed);
  EXPECT_EQ(with(1e-2, 3e-2), CheckState::noted) << "many layers round many times";
  EXPECT_EQ(with(1e-2, 1), CheckState::failed) << "nothing of it is right";
  EXPECT_EQ(with(1e-2, NAN), CheckState::failed);
  begin(spec);
  run_->values = run::ValueErrors{.not_compared = {.sentence = "too large"}};
  run_->finished = true;
  const auto all = checks_of(*run_, strings_);
  const auto found = std::ranges::find(all, std::string_view("C-26"), &CheckResult::id);
  ASSERT_NE(found, all.end());
  EXPECT_EQ(found->state, CheckState::unknown);
  EXPECT_EQ(found->found.sentence, "too large");
}

TEST_F(Checks, WhatOnlyMovesNumbersIsHeldToTheBandwidth) {
  spec::WorkloadSpec spec = spec::preset_spec(spec::WorkloadKind::weighted_sum, "w6");
  spec.pass = spec::Pass::forward;
  const double bytes = spec::step_traffic(spec, spec.backend);
  for (const auto& [share, expected] :
       {std::pair{0.7, CheckState::passed}, {0.5, CheckState::noted}}) {
    begin(spec);
    run_->roof = run::Roof{.size = 2048, .tflops = 1, .gb_s = 10};
    steps(10, bytes / (share * 10e9) * 1e3);
    EXPECT_EQ(state("bandwidth"), expected) << share;
  }
  begin(training());
  run_->roof = run::Roof{.size = 2048, .tflops = 1e-3, .gb_s = 10};
  steps(10, 1);
  EXPECT_FALSE(check("bandwidth")) << "it computes longer than it moves";
}

// Three kernels of one stream run for 20, 30 and 40 of 100 us.
TEST_F(Checks, AGpuIsBusyMostOfTheTime) {
  spec::WorkloadSpec spec;
  spec.device = spec::DeviceKind::cuda;
  spec.dtype = spec::DataType::bf16;
  const auto with = [&](std::int64_t longest, const char* name) {
    begin(spec);
    const auto stream = run_->trace.add_track(
        {.kind = trace::TrackKind::gpu_stream, .name = "stream 7", .device = 0});
    const auto phases = run_->trace.add_track({.kind = trace::TrackKind::phases, .name = "phases"});
    run_->trace.append(phases, 0,
                       {.begin_ns = 0,
                        .duration_ns = 200'000,
                        .name = strings_.intern("step 0"),
                        .slice_class = trace::SliceClass::step});
    run_->launches[strings_.intern("grid 1")] = {};
    const auto kernel = [&](std::int64_t begin, std::int64_t duration) {
      run_->trace.append(stream, 0,
                         {.begin_ns = begin,
                          .duration_ns = duration,
                          .name = strings_.intern(name),
                          .detail = strings_.intern("grid 1"),
                          .slice_class = trace::classify_kernel(name)});
    };
    kernel(0, 20'000);
    kernel(25'000, 30'000);
    kernel(100'000 - longest, longest);
  };
  constexpr const char* kTensor = "nvjet_tst_128x256_64x4";
  with(40'000, kTensor);
  EXPECT_EQ(state("busy"), CheckState::passed);
  EXPECT_EQ(state("tensor_cores"), CheckState::passed);
  EXPECT_EQ(state("short_kernels"), CheckState::passed);
  with(25'000, kTensor);
  EXPECT_EQ(state("busy"), CheckState::noted);
  with(10'000, "sgemm_128x128_nn");
  EXPECT_EQ(state("busy"), CheckState::failed);
  EXPECT_EQ(state("tensor_cores"), CheckState::failed);
}

TEST_F(Checks, WhatStepsLeaveBehindIsSaid) {
  const auto with = [&](bool kept) {
    begin(training());
    std::int64_t time = 0;
    for (std::int32_t step = 0; step < 3; ++step) {
      for (const auto phase : {base::Phase::forward, base::Phase::backward}) {
        memory::Record record = memory::testing::mark(++time, memory::Action::phase_begin, phase);
        record.step = step;
        record.graph_kept = phase == base::Phase::forward;
        run_->memory.append(record);
        if (phase == base::Phase::forward) {
          record = memory::testing::alloc(++time, 0x1000U * (1U + static_cast<unsigned>(step)),
                                          1024, phase, true);
          record.step = step;
          run_->memory.append(record);
        } else if (!kept) {
          record = memory::testing::free(++time, 0x1000U * (1U + static_cast<unsigned>(step)));
          record.step = step;
          run_->memory.append(record);
        }
        record = memory::testing::mark(++time, memory::Action::phase_end, phase);
        record.step = step;
        run_->memory.append(record);
      }
    }
  };
  with(false);
  EXPECT_EQ(state("left"), CheckState::passed);
  with(true);
  EXPECT_EQ(state("left"), CheckState::failed);
  EXPECT_NE(check("left")->found.sentence.find("1.00 KiB more"), std::string::npos)
      << check("left")->found.sentence;
}

TEST_F(Checks, TheOrderOfAStepIsSaidWhereThereIsOne) {
  begin(training());
  EXPECT_EQ(state("order"), CheckState::passed);
  spec::WorkloadSpec forward = training();
  forward.pass = spec::Pass::forward;
  begin(forward);
  EXPECT_FALSE(check("order"));
}

}  // namespace
}  // namespace ts::report
