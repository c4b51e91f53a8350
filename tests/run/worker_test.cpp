#include "core/run/worker.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <map>
#include <stdexcept>
#include <thread>
#include <vector>

#include "core/run/compare.h"
#include "tests/run/fake_engine.h"

namespace ts::run {
namespace {

using std::chrono::milliseconds;

Protocol quick() {
  Protocol protocol;
  protocol.recorded_steps = 1;
  protocol.min_warmup_s = 0;
  protocol.max_warmup_s = 0;
  protocol.min_samples = 3;
  protocol.max_samples = 3;
  protocol.probe_every = 0;
  return protocol;
}

RunRequest quick_request() {
  RunRequest request;
  request.protocol = quick();
  return request;
}

// A run that goes on until it is cancelled.
RunRequest endless_request() {
  RunRequest request;
  request.protocol = quick();
  request.protocol.min_samples = INT32_MAX;
  request.protocol.max_samples = INT32_MAX;
  request.protocol.budget_s = 1e9;
  request.protocol.hard_budget_s = 1e9;
  return request;
}

int thread_count() {
  int count = 0;
  for (const auto& task : std::filesystem::directory_iterator("/proc/self/task")) {
    count += task.exists() ? 1 : 0;
  }
  return count;
}

// A worker over a fake engine, and everything it said.
class WorkerTest : public testing::Test {
 protected:
  void start() {
    start([script = script_]() -> base::Result<std::unique_ptr<Engine>> {
      return std::make_unique<FakeEngine>(script);
    });
  }
  void start(EngineLoader loader) {
    worker_ = std::make_unique<Worker>(std::move(loader), strings_, updates_);
  }

  void drain() {
    std::vector<Update> taken;
    updates_.take(taken);
    for (Update& update : taken) said_.push_back(std::move(update));
  }

  // The FinishedUpdates so far, by run; a second one for a run is a failure.
  std::map<RunId, FinishedUpdate> finished() {
    drain();
    std::map<RunId, FinishedUpdate> found;
    for (const Update& update : said_) {
      if (const auto* end = std::get_if<FinishedUpdate>(&update)) {
        EXPECT_TRUE(found.emplace(end->id, *end).second) << "run " << end->id << " ended twice";
      }
    }
    return found;
  }

  FinishedUpdate wait_for(RunId id) {
    const auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds(60);
    while (std::chrono::steady_clock::now() < deadline) {
      const auto ends = finished();
      if (const auto found = ends.find(id); found != ends.end()) return found->second;
      std::this_thread::sleep_for(milliseconds(1));
    }
    ADD_FAILURE() << "run " << id << " never ended";
    return {};
  }

  template <class Wanted>
  std::vector<Wanted> all() {
    drain();
    std::vector<Wanted> found;
    for (const Update& update : said_) {
      if (const auto* wanted = std::get_if<Wanted>(&update)) found.push_back(*wanted);
    }
    return found;
  }

  void wait_for_steps(int count) {
    while (script_->steps_run < count) std::this_thread::sleep_for(milliseconds(1));
  }

  std::shared_ptr<FakeScript> script_ = std::make_shared<FakeScript>();
  base::StringTable strings_;
  UpdateQueue updates_;
  std::vector<Update> said_;
  std::unique_ptr<Worker> worker_;
};

TEST_F(WorkerTest, runs_a_request_from_start_to_verdict) {
  script_->info.torch_version = "fake 1";
  start();
  const RunId id = worker_->submit(quick_request());
  EXPECT_EQ(wait_for(id).verdict, Verdict::ok);
  ASSERT_EQ(all<EngineUpdate>().size(), 1U);
  EXPECT_EQ(all<EngineUpdate>()[0].info->torch_version, "fake 1");
  ASSERT_EQ(all<StartedUpdate>().size(), 1U);
  EXPECT_EQ(all<StartedUpdate>()[0].id, id);
  EXPECT_GT(all<StartedUpdate>()[0].limit, 0);
  EXPECT_FALSE(all<BatchUpdate>().empty());
  int timed = 0;
  for (const auto& sample : all<SampleUpdate>()) {
    if (sample.kind == SampleUpdate::Kind::timed) ++timed;
  }
  EXPECT_EQ(timed, 3);
}

TEST_F(WorkerTest, newest_request_wins_in_a_storm) {
  start();
  std::vector<RunId> ids(1000);
  for (RunId& id : ids) id = worker_->submit(endless_request());
  const RunId last = worker_->submit(quick_request());
  EXPECT_EQ(wait_for(last).verdict, Verdict::ok);
  const auto ends = finished();
  ASSERT_EQ(ends.size(), 1001U);
  for (const RunId id : ids) EXPECT_EQ(ends.at(id).verdict, Verdict::cancelled);
  EXPECT_EQ(script_->executions_alive, 0);
}

TEST_F(WorkerTest, storm_from_several_threads_ends_every_request_once) {
  start();
  std::vector<std::thread> threads(4);
  for (std::thread& thread : threads) {
    thread = std::thread([this] {
      for (int i = 0; i < 250; ++i) {
        worker_->submit(endless_request());
        if (i % 10 == 0) worker_->cancel();
      }
    });
  }
  for (auto& thread : threads) thread.join();
  worker_->cancel();
  while (worker_->busy()) std::this_thread::sleep_for(milliseconds(1));
  EXPECT_EQ(finished().size(), 1000U);
}

// The best of several tries: a busy machine may hold any single one up.
TEST_F(WorkerTest, cancel_takes_effect_within_100_ms) {
  script_->step_ns = [](std::int32_t, bool) { return std::int64_t{10'000'000'000}; };
  start();
  std::int64_t best = INT64_MAX;
  for (int i = 0; i < 5; ++i) {
    const RunId id = worker_->submit(endless_request());
    wait_for_steps(i + 1);
    const std::int64_t before = base::now_ns();
    worker_->cancel();
    while (worker_->busy()) std::this_thread::sleep_for(std::chrono::microseconds(100));
    best = std::min(best, base::now_ns() - before);
    EXPECT_EQ(finished().at(id).verdict, Verdict::cancelled);
  }
  EXPECT_LT(best, 100'000'000);
}

TEST_F(WorkerTest, a_waiting_request_can_be_cancelled_while_the_engine_loads) {
  std::atomic<bool> go{false};
  start([&]() -> base::Result<std::unique_ptr<Engine>> {
    while (!go) std::this_thread::sleep_for(milliseconds(1));
    return std::make_unique<FakeEngine>(script_);
  });
  const RunId id = worker_->submit(quick_request());
  EXPECT_TRUE(worker_->busy());
  worker_->cancel();
  EXPECT_FALSE(worker_->busy());
  EXPECT_EQ(finished().at(id).verdict, Verdict::cancelled);
  go = true;
  EXPECT_EQ(wait_for(worker_->submit(quick_request())).verdict, Verdict::ok);
  EXPECT_EQ(all<StartedUpdate>().size(), 1U);
}

TEST_F(WorkerTest, without_an_engine_every_run_fails_with_the_reason) {
  start([]() -> base::Result<std::unique_ptr<Engine>> {
    return base::fail("LibTorch was not found");
  });
  for (int i = 0; i < 3; ++i) {
    const auto end = wait_for(worker_->submit(quick_request()));
    EXPECT_EQ(end.verdict, Verdict::failed);
    EXPECT_EQ(end.failure.sentence, "LibTorch was not found");
  }
  EXPECT_EQ(all<EngineUpdate>().at(0).error.sentence, "LibTorch was not found");
  EXPECT_FALSE(all<EngineUpdate>().at(0).info.has_value());
  EXPECT_EQ(all<StartedUpdate>().size(), 3U);
}

TEST_F(WorkerTest, a_loader_that_throws_or_gives_nothing_is_an_error) {
  start([]() -> base::Result<std::unique_ptr<Engine>> { throw std::runtime_error("no symbol"); });
  EXPECT_EQ(wait_for(worker_->submit(quick_request())).failure.sentence,
            "The engine cannot be loaded: no symbol");
  worker_.reset();
  said_.clear();
  start([]() -> base::Result<std::unique_ptr<Engine>> { return std::unique_ptr<Engine>(); });
  EXPECT_EQ(wait_for(worker_->submit(quick_request())).verdict, Verdict::failed);
}

TEST_F(WorkerTest, an_exception_of_a_step_is_a_failed_run_and_the_next_one_works) {
  script_->before_step = [](std::int32_t number) {
    if (number == 2) throw std::runtime_error("boom");
  };
  start();
  const auto end = wait_for(worker_->submit(quick_request()));
  EXPECT_EQ(end.verdict, Verdict::failed);
  EXPECT_EQ(end.failure.sentence, "The engine stopped: boom");
  EXPECT_EQ(script_->executions_alive, 0);
  worker_.reset();
  script_->before_step = nullptr;
  start();
  said_.clear();
  EXPECT_EQ(wait_for(worker_->submit(quick_request())).verdict, Verdict::ok);
}

TEST_F(WorkerTest, out_of_memory_is_a_verdict) {
  script_->fails = [](std::int32_t) { return out_of_memory(); };
  script_->fails_at = 2;
  start();
  const auto end = wait_for(worker_->submit(quick_request()));
  EXPECT_EQ(end.verdict, Verdict::oom);
  EXPECT_EQ(end.failure.op, "aten::bmm");
  EXPECT_EQ(script_->executions_alive, 0);
}

TEST_F(WorkerTest, the_execution_is_gone_when_the_end_is_told) {
  start();
  for (int i = 0; i < 20; ++i) {
    wait_for(worker_->submit(quick_request()));
    EXPECT_EQ(script_->executions_alive, 0);
  }
}

TEST_F(WorkerTest, a_device_that_is_not_there_fails_with_its_reason) {
  start();
  RunRequest request = quick_request();
  request.spec.device = spec::DeviceKind::cuda;
  EXPECT_EQ(wait_for(worker_->submit(request)).failure.sentence,
            "There is no CUDA device 0 on this machine");
  worker_.reset();
  said_.clear();
  script_->info.devices.push_back(
      {spec::DeviceKind::cuda, 0, "card", 0, {"The driver is too old"}});
  start();
  EXPECT_EQ(wait_for(worker_->submit(request)).failure.sentence, "The driver is too old");
  EXPECT_EQ(script_->prepared, 0);
}

TEST_F(WorkerTest, an_impossible_spec_never_reaches_the_engine) {
  start();
  RunRequest request = quick_request();
  request.spec.seq_len = 0;
  EXPECT_EQ(wait_for(worker_->submit(request)).failure.sentence,
            "T must be between 1 and 1,048,576, not 0");
  EXPECT_EQ(script_->prepared, 0);
}

TEST_F(WorkerTest, leaves_no_thread_and_no_engine_behind) {
  // The first thread of a process may bring helpers of the run-time library that stay (a
  // sanitizer's background thread does): they are there before we count.
  start();
  worker_.reset();
  const int before = thread_count();
  for (int i = 0; i < 50; ++i) {
    start();
    if (i % 3 != 0) worker_->submit(endless_request());
    if (i % 3 == 1) wait_for_steps(script_->steps_run + 1);
    worker_.reset();
    EXPECT_EQ(script_->engines_alive, 0);
    EXPECT_EQ(script_->executions_alive, 0);
  }
  // A joined thread may stay listed for an instant.
  for (int i = 0; i < 1000 && thread_count() > before; ++i) {
    std::this_thread::sleep_for(milliseconds(1));
  }
  EXPECT_LE(thread_count(), before);
}

TEST_F(WorkerTest, the_roof_is_measured_once_for_a_device_and_a_type) {
  start();
  RunRequest request = quick_request();
  EXPECT_EQ(wait_for(worker_->submit(request)).verdict, Verdict::ok);
  EXPECT_EQ(script_->roofs_measured, 0) << "nobody wanted it";
  request.wants_roof = true;
  for (int i = 0; i < 2; ++i) EXPECT_EQ(wait_for(worker_->submit(request)).verdict, Verdict::ok);
  EXPECT_EQ(script_->roofs_measured, 1);
  EXPECT_EQ(all<RoofUpdate>().size(), 2U) << "both runs are told";
  request.spec.dtype = spec::DataType::bf16;
  wait_for(worker_->submit(request));
  EXPECT_EQ(script_->roofs_measured, 2);
  EXPECT_EQ(all<RoofUpdate>().back().roof.dtype, spec::DataType::bf16);
  const auto starts = all<StartedUpdate>();
  ASSERT_EQ(starts.size(), 4U);
  EXPECT_EQ(starts[0].earlier_runs, 0);
  EXPECT_EQ(starts[3].earlier_runs, 3);
}

// So that its time can be told before it starts; a study of warm-up must start cold.
TEST_F(WorkerTest, before_a_run_of_many_flops_the_roof_is_measured) {
  start();
  const auto roof_is_first = [&](const RunRequest& request) {
    said_.clear();
    EXPECT_EQ(wait_for(worker_->submit(request)).verdict, Verdict::ok);
    for (const Update& update : said_) {
      if (std::holds_alternative<RoofUpdate>(update)) return true;
      if (std::holds_alternative<SampleUpdate>(update)) return false;
    }
    return false;
  };
  RunRequest request = quick_request();
  request.wants_roof = true;
  EXPECT_FALSE(roof_is_first(request));
  request.spec.batch = 1024;
  request.spec.seq_len = 8192;
  EXPECT_TRUE(roof_is_first(request));
  request.spec.warmups = spec::Warmups::none;
  EXPECT_FALSE(roof_is_first(request));
}

TEST_F(WorkerTest, a_roof_that_cannot_be_measured_leaves_the_run_well) {
  script_->roof_fails = true;
  start();
  RunRequest request = quick_request();
  request.wants_roof = true;
  EXPECT_EQ(wait_for(worker_->submit(request)).verdict, Verdict::ok);
  EXPECT_TRUE(all<RoofUpdate>().empty());
}

// When all else is done, and whatever comes of it the run ended well.
TEST_F(WorkerTest, values_are_compared_where_the_protocol_asks_for_it) {
  int compared = 0;
  script_->compare_values = [&]() -> Outcome<ValueErrors> {
    ++compared;
    EXPECT_EQ(script_->executions_alive, 0);
    if (compared == 1) return ValueErrors{.values = 3e-7};
    Failure failure({.sentence = "too large"});
    failure.verdict = compared == 2 ? Verdict::oom : Verdict::cancelled;
    return tl::unexpected(failure);
  };
  start();
  RunRequest request = quick_request();
  wait_for(worker_->submit(request));
  EXPECT_EQ(compared, 0);
  request.protocol.check_values = true;
  for (int i = 0; i < 3; ++i) EXPECT_EQ(wait_for(worker_->submit(request)).verdict, Verdict::ok);
  const auto told = all<ValuesUpdate>();
  ASSERT_EQ(told.size(), 2U) << "a cancelled comparison tells nothing";
  EXPECT_EQ(told[0].errors.values, 3e-7);
  EXPECT_EQ(told[1].errors.not_compared.key, "no_reference.oom");
  script_->fails = [](std::int32_t) { return out_of_memory(); };
  script_->fails_at = 0;
  wait_for(worker_->submit(request));
  EXPECT_EQ(compared, 3) << "a run that does not fit has no values";
}

TEST_F(WorkerTest, a_comparison_is_told_while_it_goes_on_and_ends_once) {
  script_->spec_step_ns = [](const spec::WorkloadSpec& spec, std::int32_t) {
    return std::int64_t{spec.batch == 4 ? 2'000'000 : 3'000'000};
  };
  start();
  CompareRequest request;
  request.sides[1].spec.batch = 8;
  request.protocol = comparison_protocol();
  request.protocol.min_warmup_s = 0;
  request.protocol.min_samples = request.protocol.max_samples = 60;
  const RunId id = worker_->submit(request);
  const auto ended = wait_for(id);
  EXPECT_EQ(ended.verdict, Verdict::ok);
  int told = 0;
  const Comparison* last = nullptr;
  for (const Update& update : said_) {
    const auto* one = std::get_if<ComparisonUpdate>(&update);
    if (one == nullptr) continue;
    EXPECT_EQ(one->id, id);
    ++told;
    last = one->comparison.get();
    EXPECT_FALSE(std::holds_alternative<StartedUpdate>(update));
  }
  EXPECT_GE(told, 3) << "0.6 s of steps, ten times a second";
  ASSERT_NE(last, nullptr);
  EXPECT_EQ(last->stage, Stage::done);
  EXPECT_EQ(last->total.pairs, 60);
  EXPECT_EQ(last->sides[1].limit, last->sides[0].limit);
}

TEST_F(WorkerTest, a_comparison_names_the_instructions_of_our_kernels) {
  std::vector<std::string> used;
  script_->before_step = [&](std::int32_t) { used.push_back(script_->instructions); };
  start();
  CompareRequest request;
  request.sides[1].spec.batch = 8;
  request.protocol.min_samples = request.protocol.max_samples = 2;
  request.own_instructions = "AVX2";
  EXPECT_EQ(wait_for(worker_->submit(request)).verdict, Verdict::ok);
  ASSERT_FALSE(used.empty());
  for (const std::string& one : std::exchange(used, {})) EXPECT_EQ(one, "AVX2");
  EXPECT_EQ(wait_for(worker_->submit(quick_request())).verdict, Verdict::ok);
  ASSERT_FALSE(used.empty());
  for (const std::string& one : used) EXPECT_EQ(one, "") << "the fastest again";
}

TEST_F(WorkerTest, a_comparison_can_be_cancelled_and_replaced) {
  start();
  CompareRequest request;
  request.sides[1].spec.batch = 8;
  request.protocol.min_samples = request.protocol.max_samples = INT32_MAX;
  request.protocol.hard_budget_s = 1e9;
  const RunId endless = worker_->submit(request);
  const RunId next = worker_->submit(quick_request());
  EXPECT_EQ(wait_for(endless).verdict, Verdict::cancelled);
  EXPECT_EQ(wait_for(next).verdict, Verdict::ok);
}

TEST_F(WorkerTest, a_comparison_with_an_impossible_side_says_why) {
  start();
  CompareRequest request;
  request.sides[1].spec.device = spec::DeviceKind::cuda;
  const auto ended = wait_for(worker_->submit(request));
  EXPECT_EQ(ended.verdict, Verdict::failed);
  EXPECT_NE(ended.failure.sentence.find("CUDA device 0"), std::string::npos);
}

}  // namespace
}  // namespace ts::run
