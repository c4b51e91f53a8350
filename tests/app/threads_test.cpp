// All work beside the main thread at once: for ThreadSanitizer, too.
#include <gtest/gtest.h>

#include <chrono>
#include <fstream>
#include <memory>
#include <thread>

#include "app/session/session.h"
#include "app/session/sweep_runner.h"
#include "core/io/file.h"
#include "tests/io/temporary_folder.h"
#include "tests/run/fake_engine.h"

namespace ts::app {
namespace {

using namespace std::chrono_literals;

constexpr const char* kSnapshot = R"({"segments": [], "device_traces": [[
     {"action": "segment_alloc", "addr": 1048576, "size": 2097152, "time_us": 10},
     {"action": "alloc", "addr": 1048576, "size": 700, "time_us": 11, "category": "parameter"},
     {"action": "free_requested", "addr": 1048576, "size": 700, "time_us": 12},
     {"action": "free_completed", "addr": 1048576, "size": 700, "time_us": 13}]]})";

// A step that holds as many bytes as the sequence is long.
class SmallDryRunner final : public predict::DryRunner {
 public:
  run::Outcome<predict::DryRun> dry_run(const spec::WorkloadSpec& spec,
                                        const predict::DryRunOptions& options,
                                        base::StringTable& strings,
                                        const base::CancelToken& /*cancel*/) override {
    predict::DryRun run;
    run.spec = spec;
    run.options = options;
    memory::Record record;
    record.time_ns = predict::DryRun::kEventSpacing;
    record.address = 1;
    record.size = spec.seq_len;
    record.op = strings.intern("aten::empty");
    run.log.append(record);
    return run;
  }
};

template <class Condition>
void wait_for(Session& session, SweepRunner* runner, Condition condition) {
  const auto end = std::chrono::steady_clock::now() + 60s;
  while (!condition() && std::chrono::steady_clock::now() < end) {
    session.update();
    if (runner != nullptr) runner->update();
    std::this_thread::sleep_for(1ms);
  }
  ASSERT_TRUE(condition());
}

class BesideTheMainThread : public ::testing::Test {
 protected:
  BesideTheMainThread() {
    script_->info.torch_version = "2.11.0";
    session_ = std::make_unique<Session>(
        [script = script_]() -> base::Result<std::unique_ptr<run::Engine>> {
          return std::make_unique<run::FakeEngine>(script);
        },
        []() -> base::Result<std::unique_ptr<predict::DryRunner>> {
          return std::make_unique<SmallDryRunner>();
        });
    wait_for(*session_, nullptr, [&] { return session_->engine() != nullptr; });
  }

  io::testing::TemporaryFolder folder_;
  std::shared_ptr<run::FakeScript> script_ = std::make_shared<run::FakeScript>();
  std::unique_ptr<Session> session_;
};

TEST_F(BesideTheMainThread, PredictionsFollowWhileARunGoesOn) {
  spec::WorkloadSpec spec;
  ASSERT_TRUE(session_->start(spec, run::Protocol{.min_warmup_s = 0, .budget_s = 0.02}));
  for (int i = 1; i <= 20; ++i) {
    spec.seq_len = 64 * i;
    session_->predictions().follow(spec, session_->engine());
    session_->update();
  }
  session_->predictions().finish(60s);
  session_->predictions().follow(spec, session_->engine());  // takes over what is known
  const predict::Outlook* const outlook = session_->predictions().outlook();
  ASSERT_NE(outlook, nullptr);
  EXPECT_EQ(outlook->spec, spec) << "the newest settings win";
  ASSERT_NE(outlook->target, nullptr);
  EXPECT_EQ(outlook->target->run.log.peak_bytes(), spec.seq_len);
  wait_for(*session_, nullptr, [&] { return !session_->busy(); });
  EXPECT_EQ(session_->run()->verdict, run::Verdict::ok);
}

TEST_F(BesideTheMainThread, FilesAreReadWhileARunGoesOn) {
  ASSERT_TRUE(io::write_file(folder_ / "a.json", kSnapshot));
  ASSERT_TRUE(io::write_file(folder_ / "b.json", "{"));
  ASSERT_TRUE(session_->start(spec::WorkloadSpec{}, run::Protocol{.min_warmup_s = 0}));
  OpenedFiles& files = session_->files();
  for (int i = 0; i < 3; ++i) files.open(folder_ / "a.json");
  files.open(folder_ / "b.json");
  files.choose(0);
  wait_for(*session_, nullptr, [&] { return !files.loading(); });
  ASSERT_EQ(files.entries().size(), 2U);
  EXPECT_EQ(files.entries()[0].opened->devices[0].run.memory.peak_bytes(), 700);
  EXPECT_FALSE(files.entries()[1].problem.empty());
  files.open(folder_ / "a.json");
  files.close(0);  // while it is read
  session_->cancel();
  wait_for(*session_, nullptr, [&] { return !session_->busy() && !files.loading(); });
  EXPECT_EQ(files.entries().size(), 1U);
}

TEST_F(BesideTheMainThread, PointsArePredictedRunKeptAndReadAgain) {
  sweep::SweepSpec spec;
  spec.axes = {*sweep::parse_axis("T=64,128")};
  spec.protocol.recorded_steps = 1;
  spec.protocol.min_warmup_s = 0;
  spec.protocol.max_warmup_s = 0.01;
  spec.protocol.budget_s = 0.01;
  spec.protocol.hard_budget_s = 0.05;
  sweep::Sweep sweep(spec);
  SweepRunner runner(*session_, sweep, nullptr);
  runner.keep_points(folder_.path());
  runner.update();
  wait_for(*session_, &runner, [&] { return runner.idle(); });
  EXPECT_EQ(runner.recording_problem().sentence, "");
  EXPECT_EQ(sweep.points()[1].prediction.peak_allocated, 128);
  RecordingOpener opener;
  opener.open(folder_ / "naive_T=128.recording", session_->strings());
  std::optional<base::Result<std::shared_ptr<run::Run>>> read;
  wait_for(*session_, nullptr, [&] {
    if (!read) read = opener.take();
    return read.has_value();
  });
  ASSERT_TRUE(read->has_value()) << read->error().sentence;
  EXPECT_EQ((**read)->spec, sweep.points()[1].spec);
}

}  // namespace
}  // namespace ts::app
