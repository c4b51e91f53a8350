#include "core/run/run.h"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <functional>
#include <string_view>

#include "assets/assets.h"
#include "core/report/recording_notes.h"
#include "core/report/run_json.h"
#include "core/spec/workload_math.h"

namespace ts::run {
namespace {

constexpr std::int64_t kMs = 1'000'000;

StartedUpdate started(RunId id = 1) {
  StartedUpdate update;
  update.id = id;
  update.limit = std::int64_t{24} << 30;
  update.limit_source = "RTX 4090";
  update.begin_ns = 5;
  return update;
}

void add_sample(Run& run, SampleUpdate::Kind kind, std::int64_t total_ns) {
  StepTimes times;
  times.total_ns = total_ns;
  times.forward_ns = total_ns / 4;
  times.backward_ns = total_ns - times.forward_ns;
  run.apply(SampleUpdate{run.id, times, kind});
}

void allocate(Run& run, std::int64_t bytes) {
  BatchUpdate update;
  update.id = run.id;
  memory::Record record;
  record.time_ns = 10;
  record.address = 0xA;
  record.size = bytes;
  update.batch.memory.push_back(record);
  run.apply(std::move(update));
}

void finish(Run& run, Verdict verdict, Failure failure = {}) {
  FinishedUpdate end;
  end.id = run.id;
  end.verdict = verdict;
  end.failure = std::move(failure);
  end.failure.verdict = verdict;
  end.end_ns = 99;
  run.apply(std::move(end));
}

TEST(Run, statistics_of_known_samples) {
  run::Run run(started());
  for (int i = 1; i <= 100; ++i) add_sample(run, SampleUpdate::Kind::timed, i * kMs);
  const TimingSummary timing = run.timing();
  EXPECT_EQ(timing.n, 100);
  EXPECT_DOUBLE_EQ(timing.median_ms, 50.5);
  EXPECT_DOUBLE_EQ(timing.min_ms, 1);
  EXPECT_DOUBLE_EQ(timing.q1_ms, 25.75);
  EXPECT_DOUBLE_EQ(timing.q3_ms, 75.25);
  EXPECT_DOUBLE_EQ(timing.mean_ms, 50.5);
  EXPECT_NEAR(timing.std_ms, 29.011, 0.001);
  EXPECT_NEAR(timing.p90_ms, 90.1, 1e-9);
  EXPECT_NEAR(timing.p99_ms, 99.01, 1e-9);
  // Ranks 40 and 61 of 100 cover the median with 96.5 %.
  EXPECT_DOUBLE_EQ(timing.ci95_low_ms, 40);
  EXPECT_DOUBLE_EQ(timing.ci95_high_ms, 61);
  EXPECT_EQ(timing.outliers, 0);
}

TEST(Run, what_was_not_measured_is_absent) {
  run::Run run(started());
  EXPECT_EQ(run.timing().n, 0);
  EXPECT_LT(run.timing().median_ms, 0);
  EXPECT_FALSE(run.tokens_per_s());
  EXPECT_FALSE(run.tflops_per_s());
  EXPECT_FALSE(run.recording_cost());
  add_sample(run, SampleUpdate::Kind::timed, kMs);
  EXPECT_EQ(run.timing().n, 1);
  EXPECT_LT(run.timing().ci95_low_ms, 0);
  EXPECT_LT(run.timing().p90_ms, 0);
  EXPECT_LT(run.timing().std_ms, 0);
  EXPECT_FALSE(run.recording_cost());
}

// One slow step moves the mean, but neither the median nor the rates beside it.
TEST(Run, rates_belong_to_the_median_step) {
  run::Run run(started());
  run.spec.batch = 2;
  run.spec.seq_len = 500;
  run.spec.new_tokens = 9;
  for (const std::int64_t ms : {100, 100, 100, 100, 60'000}) {
    StepTimes times;
    times.total_ns = ms * kMs;
    times.decode_ns = ms * kMs / 4;
    run.apply(SampleUpdate{run.id, times, SampleUpdate::Kind::timed});
  }
  EXPECT_DOUBLE_EQ(run.timing().median_ms, 100);
  EXPECT_GT(run.timing().mean_ms, 10'000);
  EXPECT_DOUBLE_EQ(*run.tokens_per_s(), 1000 / 0.1);
  EXPECT_DOUBLE_EQ(*run.decode_tokens_per_s(), 2 * 8 / 0.025);
  EXPECT_NEAR(*run.tflops_per_s(), run.flops() / 0.1 * 1e-12, 1e-12);
}

TEST(Run, the_peak_is_the_allocators_own_as_soon_as_it_is_told) {
  run::Run run(started());
  allocate(run, 4096);
  EXPECT_EQ(run.peak_allocated(), 4096) << "nothing else is known";
  run.apply(PeakUpdate{2, 9999});
  EXPECT_EQ(run.peak_allocated(), 4096) << "another run's";
  run.apply(PeakUpdate{1, 5000});
  run.apply(PeakUpdate{1, 4500});
  EXPECT_EQ(run.peak_allocated(), 5000);
  EXPECT_EQ(report::to_json(run, nullptr).at("memory").at("peak_allocated"), 5000);
  EXPECT_EQ(report::to_json(run, nullptr).at("memory").at("peak_of_records"), 4096);
  finish(run, Verdict::ok);
  run.limit = 6000;
  EXPECT_NE(report::verdict_sentence(run).sentence.find("4.88 KiB"), std::string::npos)
      << report::verdict_sentence(run).sentence;
}

TEST(Run, times_with_many_outliers_are_not_stable) {
  const auto with_slow = [](int slow, int all) {
    run::Run run(started());
    for (int i = 0; i < all - slow; ++i)
      add_sample(run, SampleUpdate::Kind::timed, (1000 + i % 10) * kMs / 1000);
    for (int i = 0; i < slow; ++i) add_sample(run, SampleUpdate::Kind::timed, 30 * kMs);
    EXPECT_EQ(run.timing().outliers, slow);
    return run;
  };
  EXPECT_TRUE(with_slow(0, 137).timing().stable);
  EXPECT_TRUE(with_slow(6, 137).timing().stable);
  EXPECT_FALSE(with_slow(7, 137).timing().stable);
  EXPECT_FALSE(with_slow(31, 137).timing().stable);
  EXPECT_TRUE(with_slow(1, 10).timing().stable) << "one is no pattern";
  // Both say something else: the warm-up had settled.
  const auto step = report::to_json(with_slow(31, 137), nullptr).at("step_ms");
  EXPECT_TRUE(step.at("settled"));
  EXPECT_FALSE(step.at("stable"));
  run::Run unsettled = with_slow(0, 137);
  unsettled.warmup_stable = false;
  EXPECT_FALSE(unsettled.timing().settled);
  EXPECT_FALSE(unsettled.timing().stable);
}

TEST(Run, flops_follow_the_backend_that_ran) {
  run::Run run(started());
  run.spec.causal = true;
  const double naive = run.flops();
  run.apply(FactsUpdate{1, {0, 0, "flash", 0}});
  EXPECT_LT(run.flops(), naive);
  EXPECT_DOUBLE_EQ(run.flops(), spec::step_flops(run.spec, spec::AttentionBackend::flash).total());
}

// Timed steps and probes by turns, each beginning where the one before has ended.
void add_turns(Run& run, std::string_view kinds,
               const std::function<double(std::size_t, bool)>& milliseconds) {
  std::int64_t now = 0;
  for (std::size_t i = 0; i < kinds.size(); ++i) {
    StepTimes times;
    times.begin_ns = now;
    times.total_ns = static_cast<std::int64_t>(milliseconds(i, kinds[i] == 'p') * kMs);
    now += times.total_ns;
    run.apply(SampleUpdate{
        run.id, times, kinds[i] == 'p' ? SampleUpdate::Kind::probe : SampleUpdate::Kind::timed});
  }
}

TEST(RecordingCost, compares_each_probe_with_the_steps_beside_it) {
  run::Run run(started());
  // Steps take ever longer; medians of all would find a cost other than 10 %.
  add_turns(run, "ttpttpttpttpttpttpttpt", [](std::size_t i, bool probe) {
    return (10 + static_cast<double>(i)) * (probe ? 1.1 : 1);
  });
  const auto cost = run.recording_cost();
  ASSERT_TRUE(cost);
  EXPECT_EQ(cost->probes, 7);
  EXPECT_NEAR(cost->percent, 10, 1e-6);
  ASSERT_TRUE(cost->ci95);
  EXPECT_NEAR(cost->ci95->low, 10, 1e-6);
  EXPECT_NEAR(cost->ci95->high, 10, 1e-6);
  EXPECT_TRUE(cost->clear());
}

TEST(RecordingCost, an_interval_with_zero_in_it_is_unclear) {
  run::Run run(started());
  add_turns(run, "tptptptptptptpt",
            [](std::size_t i, bool probe) { return probe ? (i % 4 == 1 ? 9.0 : 11.5) : 10.0; });
  const auto cost = run.recording_cost();
  ASSERT_TRUE(cost && cost->ci95);
  EXPECT_LT(cost->ci95->low, 0);
  EXPECT_GT(cost->ci95->high, 0);
  EXPECT_FALSE(cost->clear());
}

TEST(RecordingCost, a_few_probes_have_no_interval) {
  run::Run run(started());
  add_turns(run, "ttpttpt", [](std::size_t, bool probe) { return probe ? 12.0 : 10.0; });
  const auto cost = run.recording_cost();
  ASSERT_TRUE(cost);
  EXPECT_EQ(cost->probes, 2);
  EXPECT_NEAR(cost->percent, 20, 1e-9);
  EXPECT_FALSE(cost->ci95);
  EXPECT_FALSE(cost->clear());
}

TEST(RecordingNotes, say_what_was_lost_and_what_recording_changed) {
  run::Run run(started());
  EXPECT_TRUE(report::recording_notes(run).empty());
  add_turns(run, "ttpttpttpttpttpttpttpt",
            [](std::size_t, bool probe) { return probe ? 10.9 : 10.0; });
  EXPECT_TRUE(report::recording_notes(run).empty()) << "9 % is clear, but changes no picture";
  run::Run costly(started());
  add_turns(costly, "ttpttpttpttpttpttpttpt",
            [](std::size_t, bool probe) { return probe ? 19.2 : 10.0; });
  ASSERT_EQ(report::recording_notes(costly).size(), 1U);
  EXPECT_NE(report::recording_notes(costly)[0].sentence.find("a step 92 % longer"),
            std::string::npos);
  BatchUpdate update;
  update.id = 1;
  update.batch.dropped = 12'345;
  costly.apply(std::move(update));
  ASSERT_EQ(report::recording_notes(costly).size(), 2U);
  EXPECT_TRUE(report::recording_notes(costly)[0].sentence.starts_with("12,345 records were lost"));
  EXPECT_EQ(report::to_json(costly, nullptr).at("recording").at("notes").size(), 2U);
}

TEST(Run, a_clock_that_does_not_wait_is_shown_where_there_is_something_to_wait_for) {
  run::Run run(started());
  StepTimes times;
  times.total_ns = 12 * kMs;
  times.waited_ns = 11 * kMs;
  run.apply(SampleUpdate{1, times, SampleUpdate::Kind::timed});
  EXPECT_FALSE(run.unsynchronised_ms()) << "calls return with their result on the CPU";
  run.spec.device = spec::DeviceKind::cuda;
  EXPECT_DOUBLE_EQ(*run.unsynchronised_ms(), 1);
}

TEST(Run, ignores_what_is_not_about_it) {
  run::Run run(started());
  run.apply(EngineUpdate{});
  run.apply(started(2));
  run.apply(ProgressUpdate{2, Stage::timing, 1, 0});
  run.apply(SampleUpdate{2, {}, SampleUpdate::Kind::timed});
  run.apply(FactsUpdate{2, {1, 1, "flash", 1}});
  FinishedUpdate other_end;
  other_end.id = 2;
  run.apply(other_end);
  BatchUpdate other_batch;
  other_batch.id = 2;
  other_batch.batch.memory.resize(1);
  run.apply(std::move(other_batch));
  EXPECT_EQ(run.stage, Stage::waiting);
  EXPECT_TRUE(run.timed_steps.empty());
  EXPECT_FALSE(run.finished);
  EXPECT_TRUE(run.memory.events().empty());
  EXPECT_EQ(run.facts.parameters, 0);
}

TEST(Run, late_progress_does_not_undo_the_end) {
  run::Run run(started());
  finish(run, Verdict::ok);
  run.apply(ProgressUpdate{1, Stage::timing, 0.5F, 3});
  EXPECT_EQ(run.stage, Stage::done);
  EXPECT_EQ(run.fraction, 1.0F);
}

TEST(Run, keeps_records_of_batches) {
  run::Run run(started());
  BatchUpdate update;
  update.id = 1;
  update.batch.tracks.push_back({0, {trace::TrackKind::phases, "phases"}});
  update.batch.tracks.push_back({1, {trace::TrackKind::cpu_thread, "worker"}});
  trace::Slice slice;
  slice.begin_ns = 100;
  slice.duration_ns = 10;
  update.batch.slices.push_back({1, 0, slice});
  update.batch.dropped = 4;
  run.apply(std::move(update));
  EXPECT_EQ(run.trace.tracks().size(), 2U);
  EXPECT_EQ(run.trace.lane_size(1, 0), 1U);
  EXPECT_EQ(run.dropped, 4U);
}

TEST(Verdict, sentences_carry_a_number) {
  run::Run run(started());
  run.stage = Stage::warmup;
  EXPECT_EQ(report::verdict_sentence(run).sentence, "Warming up");
  allocate(run, std::int64_t{20} << 30);
  finish(run, Verdict::ok);
  EXPECT_EQ(report::verdict_sentence(run).sentence, "Ran on this machine with a peak of 20.00 GiB");
  run.spec.memory_limit = run.limit;
  EXPECT_EQ(report::verdict_sentence(run).sentence, "Fits in 24.00 GiB with 4.00 GiB to spare");
}

// Whether a card holds it is the prediction's to say: it has other kernels, or none for these
// settings.
TEST(Verdict, of_a_run_says_nothing_about_a_card) {
  run::Run run(started());
  allocate(run, std::int64_t{20} << 30);
  for (const spec::DeviceKind device : {spec::DeviceKind::cpu, spec::DeviceKind::cuda}) {
    for (const Verdict verdict : {Verdict::ok, Verdict::oom}) {
      run.spec.device = device;
      run.finished = true;
      run.verdict = verdict;
      EXPECT_EQ(report::verdict_sentence(run).sentence.find(run.spec.target_gpu), std::string::npos)
          << report::verdict_sentence(run).sentence;
    }
  }
}

TEST(Verdict, nothing_recorded_claims_nothing) {
  run::Run run(started());
  finish(run, Verdict::ok);
  EXPECT_EQ(report::verdict_sentence(run).sentence, "Finished");
}

TEST(Verdict, out_of_memory_names_operator_and_sizes) {
  run::Run run(started());
  Failure failure;
  failure.bytes_asked = std::int64_t{972} << 20;
  failure.bytes_free = std::int64_t{732} << 20;
  finish(run, Verdict::oom, failure);
  EXPECT_EQ(report::verdict_sentence(run).sentence,
            "Does not fit in 24.00 GiB: 972 MiB asked, 732 MiB free");
  run.failure.op = "aten::softmax";
  EXPECT_EQ(report::verdict_sentence(run).sentence,
            "Does not fit in 24.00 GiB: aten::softmax needs 972 MiB, 732 MiB free");
  run.failure.module = "blocks.11";
  run.limit_source = "memory_limit";
  EXPECT_EQ(report::verdict_sentence(run).sentence,
            "Does not fit in 24.00 GiB: aten::softmax in blocks.11 needs 972 MiB, 732 MiB free");
}

TEST(Verdict, failures_say_why) {
  run::Run run(started());
  Failure failure;
  failure.sentence = "LibTorch was not found";
  finish(run, Verdict::failed, failure);
  EXPECT_EQ(report::verdict_sentence(run).sentence, "Failed: LibTorch was not found");
  run::Run other(started());
  finish(other, Verdict::cancelled);
  EXPECT_EQ(report::verdict_sentence(other).sentence, "Cancelled");
}

TEST(RunJson, has_what_the_command_line_promises) {
  run::Run run(started());
  for (int i = 0; i < 12; ++i) add_sample(run, SampleUpdate::Kind::timed, (10 + i) * kMs);
  add_sample(run, SampleUpdate::Kind::recorded, 12 * kMs);
  add_sample(run, SampleUpdate::Kind::warmup, 12 * kMs);
  add_sample(run, SampleUpdate::Kind::probe, 17 * kMs);
  allocate(run, 4096);
  run.apply(FactsUpdate{1, {0, 0, "naive", 0}});
  finish(run, Verdict::ok);
  const auto json = report::to_json(run, {{"torch", "2.11"}});
  EXPECT_EQ(*spec::spec_from_json(json.at("spec")), run.spec);
  EXPECT_EQ(json.at("verdict"), "ok");
  EXPECT_TRUE(json.at("reason").is_null());
  EXPECT_EQ(json.at("backend_ran"), "naive");
  EXPECT_EQ(json.at("environment").at("torch"), "2.11");
  const auto& step = json.at("step_ms");
  EXPECT_EQ(step.at("n"), 12);
  EXPECT_DOUBLE_EQ(step.at("median"), 15.5);
  EXPECT_EQ(step.at("ci95").size(), 2U);
  EXPECT_DOUBLE_EQ(step.at("min"), 10);
  EXPECT_TRUE(step.at("p90").is_number());
  EXPECT_TRUE(step.at("p99").is_null());
  EXPECT_NEAR(json.at("parts_ms").at("forward").at("median"), 15.5 / 4, 1e-9);
  EXPECT_EQ(json.at("parts_ms").at("backward").at("n"), 12);
  EXPECT_TRUE(json.at("parts_ms").at("optimizer").is_null());
  EXPECT_TRUE(json.at("tokens_per_s").is_number());
  EXPECT_TRUE(json.at("flops").is_number());
  EXPECT_TRUE(json.at("tflops_per_s").is_number());
  EXPECT_EQ(json.at("memory").at("peak_allocated"), 4096);
  EXPECT_EQ(json.at("memory").at("by_category").size(), 7U);
  std::int64_t sum = 0;
  for (const auto& bytes : json.at("memory").at("by_category")) sum += bytes.get<std::int64_t>();
  EXPECT_EQ(sum, 4096);
  EXPECT_EQ(json.at("memory").at("events"), 1);
  EXPECT_EQ(json.at("recording").at("slices"), 0);
  EXPECT_EQ(json.at("recording").at("dropped"), 0);
  const auto& cost = json.at("recording").at("cost");
  EXPECT_TRUE(cost.at("percent").is_number());
  EXPECT_TRUE(cost.at("ci95").is_null()) << "one probe has no interval";
  EXPECT_FALSE(cost.at("clear"));
  EXPECT_EQ(json.at("cache"), "hot");
  EXPECT_TRUE(json.at("unsynchronised_ms").is_null());
  EXPECT_EQ(json.at("samples_ms").at("timed").size(), 12U);
  EXPECT_EQ(json.at("protocol").at("min_samples"), 10);
}

TEST(RunJson, a_run_that_never_measured_is_null_not_zero) {
  run::Run run(started());
  Failure failure;
  failure.sentence = "asked too much";
  failure.bytes_asked = 5;
  finish(run, Verdict::oom, failure);
  const auto json = report::to_json(run, nullptr);
  EXPECT_EQ(json.at("verdict"), "oom");
  EXPECT_EQ(json.at("reason"), "asked too much");
  EXPECT_EQ(json.at("failure").at("bytes_asked"), 5);
  EXPECT_TRUE(json.at("step_ms").at("median").is_null());
  EXPECT_TRUE(json.at("step_ms").at("ci95").is_null());
  EXPECT_TRUE(json.at("tokens_per_s").is_null());
  EXPECT_TRUE(json.at("tflops_per_s").is_null());
  EXPECT_TRUE(json.at("backend_ran").is_null());
  EXPECT_TRUE(json.at("recording").at("cost").is_null());
}

TEST(Run, parts_are_summarised_as_the_whole_is) {
  run::Run run(started());
  for (int i = 1; i <= 100; ++i) add_sample(run, SampleUpdate::Kind::timed, i * 4 * kMs);
  const TimingSummary forward = run.timing_of(&StepTimes::forward_ns);
  EXPECT_EQ(forward.n, 100);
  EXPECT_DOUBLE_EQ(forward.median_ms, 50.5);
  EXPECT_NEAR(forward.p99_ms, 99.01, 1e-9);
  EXPECT_EQ(run.timing_of(&StepTimes::optimizer_ns).n, 0);
}

TEST(Run, outliers_are_marked_and_stay) {
  run::Run run(started());
  for (int i = 0; i < 20; ++i) add_sample(run, SampleUpdate::Kind::timed, (10 + i % 2) * kMs);
  add_sample(run, SampleUpdate::Kind::timed, 500 * kMs);
  const TimingSummary timing = run.timing();
  EXPECT_EQ(timing.n, 21);
  EXPECT_EQ(timing.outliers, 1);
  EXPECT_DOUBLE_EQ(timing.outlier_above_ms, 14);
  EXPECT_GT(timing.mean_ms, 33) << "the mean counts it";
}

}  // namespace
}  // namespace ts::run
