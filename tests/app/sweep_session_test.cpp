// The sweep of the window: journals that are opened, taken up again, widened.
#include "app/session/sweep_session.h"

#include <gtest/gtest.h>

#include <chrono>
#include <fstream>
#include <iterator>
#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <thread>
#include <utility>

#include "app/output/sweep_files.h"
#include "app/saved/session_jobs.h"
#include "tests/io/temporary_folder.h"
#include "tests/run/fake_engine.h"

namespace ts::app {
namespace {

using namespace std::chrono_literals;
using sweep::PointStatus;

class SweepSessionOf : public testing::Test {
 protected:
  SweepSessionOf() {
    spec_.axes = {*sweep::parse_axis("T=64:256:x2")};
    spec_.series = {*sweep::parse_series("backend=naive,flash")};
    spec_.protocol.recorded_steps = 1;
    spec_.protocol.min_warmup_s = 0;
    spec_.protocol.max_warmup_s = 0.01;
    spec_.protocol.budget_s = 0.01;
    spec_.protocol.hard_budget_s = 0.05;
    script_->info.torch_version = "2.11.0";
    session_ = make_session();
  }
  std::unique_ptr<Session> make_session() {
    auto session = std::make_unique<Session>(
        [script = script_]() -> base::Result<std::unique_ptr<run::Engine>> {
          return std::make_unique<run::FakeEngine>(script);
        });
    drive(*session, nullptr, [&] { return session->engine() != nullptr; });
    return session;
  }
  template <class Condition>
  static void drive(Session& session, SweepSession* sweeps, Condition condition) {
    const auto end = std::chrono::steady_clock::now() + 20s;
    while (!condition() && std::chrono::steady_clock::now() < end) {
      session.update();
      if (sweeps != nullptr) sweeps->update();
      std::this_thread::sleep_for(1ms);
    }
    ASSERT_TRUE(condition());
  }
  void finish(SweepSession& sweeps) {
    sweeps.update();
    drive(*session_, &sweeps, [&] { return sweeps.idle(); });
  }
  [[nodiscard]] std::filesystem::path only_journal() const {
    for (const auto& entry : std::filesystem::directory_iterator(folder_.path())) {
      if (is_sweep(entry.path())) return journal_of(entry.path());
    }
    return {};
  }
  static std::string content(const std::filesystem::path& path) {
    std::ifstream file(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(file), {}};
  }
  // A sweep that ended, on disk.
  std::filesystem::path finished_sweep() {
    SweepSession sweeps(folder_.path());
    sweeps.start(*session_, spec_);
    finish(sweeps);
    EXPECT_EQ(sweeps.sweep()->count(PointStatus::ok), 6U);
    return only_journal();
  }

  io::testing::TemporaryFolder folder_;
  sweep::SweepSpec spec_;
  std::shared_ptr<run::FakeScript> script_ = std::make_shared<run::FakeScript>();
  std::unique_ptr<Session> session_;
};

TEST_F(SweepSessionOf, looking_at_a_journal_runs_and_writes_nothing) {
  const auto journal = finished_sweep();
  ASSERT_FALSE(journal.empty());
  const std::string before = content(journal);
  const int prepared = script_->prepared;
  SweepSession sweeps;
  ASSERT_TRUE(sweeps.load(*session_, journal).has_value());
  finish(sweeps);
  EXPECT_EQ(sweeps.sweep()->count(PointStatus::ok), 6U);
  EXPECT_EQ(script_->prepared, prepared);
  EXPECT_EQ(content(journal), before);
  EXPECT_FALSE(sweeps.load(*session_, folder_.path() / "none.jsonl").has_value());
  EXPECT_EQ(sweeps.sweep()->count(PointStatus::ok), 6U) << "the sweep there was stays";
}

// A colleague opens the session where the sweep's folder is not.
TEST_F(SweepSessionOf, a_saved_session_brings_the_points_of_its_sweep) {
  const auto folder = finished_sweep().parent_path();
  std::map<std::string, std::string> points;
  for (const auto& entry : std::filesystem::directory_iterator(folder / kPointsFolder))
    points[entry.path().filename().string()] = content(entry.path());
  ASSERT_EQ(points.size(), 12U) << "a recording and a profile each";
  std::ofstream(folder / kPointsFolder / ".hidden") << "not a point";
  SessionToSave what;
  what.folder = folder_.path();
  what.session.page = "sweep";
  what.session.sweep = files::SavedSweep{folder, {}, {}};
  const auto saved = save_session(std::move(what));
  ASSERT_TRUE(saved.has_value()) << saved.error().sentence;
  std::filesystem::remove_all(folder);
  base::StringTable strings;
  const auto elsewhere = folder_.path() / "elsewhere";
  const auto opened = open_session(*saved, elsewhere, strings);
  ASSERT_TRUE(opened.has_value()) << opened.error().sentence;
  EXPECT_EQ(opened->sweep_problem.sentence, "");
  ASSERT_EQ(opened->sweep_folder.parent_path(), elsewhere);
  for (const auto& [name, bytes] : points)
    EXPECT_EQ(content(opened->sweep_folder / kPointsFolder / name), bytes) << name;
  EXPECT_FALSE(std::filesystem::exists(opened->sweep_folder / kPointsFolder / ".hidden"));
  SweepSession sweeps;
  ASSERT_TRUE(sweeps.load(*session_, opened->sweep_folder).has_value());
  EXPECT_EQ(sweeps.sweep()->count(PointStatus::ok), 6U);
}

TEST_F(SweepSessionOf, one_point_is_run_again_and_written) {
  const auto journal = finished_sweep();
  const std::string before = content(journal);
  const int prepared = script_->prepared;
  SweepSession sweeps;
  ASSERT_TRUE(sweeps.load(*session_, journal.parent_path()).has_value()) << "the folder will do";
  ASSERT_TRUE(sweeps.rerun(*session_, 2).has_value());
  finish(sweeps);
  EXPECT_EQ(script_->prepared, prepared + 1) << "that one only";
  EXPECT_TRUE(sweeps.run_of(2) != nullptr);
  const std::string after = content(journal);
  EXPECT_EQ(after.substr(0, before.size()), before);
  EXPECT_EQ(std::count(after.begin(), after.end(), '\n'), 8);
}

// Points of one number of threads do not stand beside those of another.
TEST_F(SweepSessionOf, a_sweep_of_other_threads_is_not_taken_up) {
  script_->info.threads = 2;
  session_ = make_session();
  const auto journal = finished_sweep();
  script_->info.threads = 1;
  const auto other = make_session();
  SweepSession sweeps;
  ASSERT_TRUE(sweeps.load(*other, journal).has_value());
  const auto refused = sweeps.resume(*other);
  ASSERT_FALSE(refused.has_value());
  EXPECT_NE(refused.error().sentence.find("threads 2, this is 1"), std::string::npos)
      << refused.error().sentence;
  const Machine machine;
  run::EngineInfo engine;
  engine.threads = 3;
  EXPECT_EQ(sweep_identity(machine, engine).at("threads"), 3);
}

TEST_F(SweepSessionOf, values_and_series_are_added_and_the_file_knows) {
  const auto journal = finished_sweep();
  SweepSession sweeps;
  ASSERT_TRUE(sweeps.load(*session_, journal).has_value());
  sweep::SweepSpec more = spec_;
  more.axes = {*sweep::parse_axis("T=512")};
  more.series = {*sweep::parse_series("backend=math")};
  ASSERT_TRUE(sweeps.widen(*session_, more).has_value());
  EXPECT_EQ(sweeps.sweep()->count(PointStatus::pending), 6U);
  ASSERT_TRUE(sweeps.resume(*session_).has_value());
  finish(sweeps);
  EXPECT_EQ(sweeps.sweep()->count(PointStatus::ok), 12U);
  SweepSession again;
  ASSERT_TRUE(again.load(*session_, journal).has_value());
  EXPECT_EQ(again.sweep()->count(PointStatus::ok), 12U);
  const auto nothing = sweeps.widen(*session_, more);
  ASSERT_FALSE(nothing.has_value());
  EXPECT_NE(nothing.error().sentence.find("has all of these"), std::string::npos);
}

TEST_F(SweepSessionOf, another_library_is_looked_at_but_never_mixed_in) {
  const auto journal = finished_sweep();
  const std::string before = content(journal);
  script_->info.torch_version = "2.12.0";
  session_ = make_session();
  SweepSession sweeps;
  ASSERT_TRUE(sweeps.load(*session_, journal).has_value());
  for (const auto& result : {sweeps.resume(*session_), sweeps.rerun(*session_, 0)}) {
    ASSERT_FALSE(result.has_value());
    EXPECT_NE(result.error().sentence.find("not comparable"), std::string::npos);
  }
  finish(sweeps);
  EXPECT_EQ(content(journal), before);
  EXPECT_EQ(sweeps.sweep()->count(PointStatus::ok), 6U);
}

// The opened point, now or later.
std::optional<SweepSession::Opened> opened(Session& session, SweepSession& sweeps,
                                           std::size_t point) {
  sweeps.open(session, point);
  const auto end = std::chrono::steady_clock::now() + 20s;
  while (std::chrono::steady_clock::now() < end) {
    if (auto one = sweeps.take_opened()) return one;
    std::this_thread::sleep_for(1ms);
  }
  return std::nullopt;
}

TEST_F(SweepSessionOf, points_of_a_journal_that_was_closed_open_from_their_recordings) {
  const auto journal = finished_sweep();
  SweepSession sweeps;
  ASSERT_TRUE(sweeps.load(*session_, journal).has_value());
  for (std::size_t point = 0; point < 6; ++point) {
    ASSERT_EQ(sweeps.run_of(point), nullptr);
    const auto one = opened(*session_, sweeps, point);
    ASSERT_TRUE(one && one->run) << point;
    const run::Run& run = **one->run;
    EXPECT_EQ(run.spec, sweeps.sweep()->points()[point].spec);
    EXPECT_TRUE(run.finished);
    EXPECT_GT(run.trace.slice_count(), 0U);
    EXPECT_EQ(run.timing().median_ms, sweeps.sweep()->points()[point].measurement.step.median_ms);
    EXPECT_EQ(run.memory.peak_bytes(), sweeps.sweep()->points()[point].measurement.peak_allocated);
  }
  EXPECT_NE(sweeps.run_of(5), nullptr) << "read once";
  EXPECT_FALSE(sweeps.opening());
}

// Earlier versions wrote "naive_B=2_T=64" where the name is "naive,B=2_T=64" now.
TEST_F(SweepSessionOf, points_of_earlier_versions_open_and_are_compared) {
  spec_.base.workload = spec::WorkloadKind::lm;
  spec_.base.pass = spec::Pass::full_step;
  spec_.axes = {*sweep::parse_axis("T=64")};
  spec_.series = {*sweep::parse_series("backend=naive,flash"),
                  *sweep::parse_series("lr=1e-2,1e-3,1e3")};
  const auto journal = finished_sweep();
  const auto points = journal.parent_path() / kPointsFolder;
  SweepSession sweeps;
  const auto loaded = sweeps.load(*session_, journal);
  ASSERT_TRUE(loaded) << loaded.error().sentence;
  const sweep::Sweep& sweep = *sweeps.sweep();
  for (std::size_t point = 0; point < 6; ++point) {
    for (const char* ending : {".json", kRecordingEnding}) {
      std::filesystem::rename(points / (sweep::profile_name(sweep, point) + ending),
                              points / (sweep::older_profile_name(sweep, point) + ending));
    }
  }
  ASSERT_TRUE(std::filesystem::exists(points / "flash_lr=1e2_T=64.json"));
  for (const std::size_t point : {0U, 3U}) {
    const auto one = opened(*session_, sweeps, point);
    ASSERT_TRUE(one && one->run) << point;
    EXPECT_EQ((*one->run)->spec, sweep.points()[point].spec);
  }
  EXPECT_TRUE(sweeps.compare(0, 3));
  // 1e-3 and 1e3 shared a file, and whose it is cannot be told.
  for (const auto& words : {opened(*session_, sweeps, 1)->run.error().sentence,
                            sweeps.compare(0, 1).error().sentence}) {
    EXPECT_TRUE(
        words.starts_with("An earlier version gave several points of this sweep the file "
                          "naive_lr=1e3_T=64."))
        << words;
  }
}

// Where the learning rate alone tells the points apart, the one file that an earlier version wrote
// for 1e-3 and 1e3 has the very name of 1e3 now.
TEST_F(SweepSessionOf, an_older_file_under_a_points_own_name_is_not_opened_as_that_point) {
  spec_.base.workload = spec::WorkloadKind::lm;
  spec_.base.pass = spec::Pass::full_step;
  spec_.axes = {*sweep::parse_axis("T=64,128")};
  spec_.series = {*sweep::parse_series("lr=1e-3,1e3,1e-2")};
  const auto journal = finished_sweep();
  const auto points = journal.parent_path() / kPointsFolder;
  SweepSession sweeps;
  ASSERT_TRUE(sweeps.load(*session_, journal).has_value());
  const sweep::Sweep& sweep = *sweeps.sweep();
  ASSERT_EQ(sweep::older_profile_name(sweep, 0), sweep::profile_name(sweep, 2));
  EXPECT_TRUE(sweeps.compare(0, 2));
  for (const char* ending : {".json", kRecordingEnding}) {
    std::filesystem::rename(points / (sweep::profile_name(sweep, 0) + ending),
                            points / (sweep::profile_name(sweep, 2) + ending));
  }
  const auto other = opened(*session_, sweeps, 2);
  ASSERT_TRUE(other && !other->run) << "the run of 1e-3 is shown for 1e3";
  EXPECT_NE(other->run.error().sentence.find("is of other settings than this point"),
            std::string::npos)
      << other->run.error().sentence;
  const auto comparison = sweeps.compare(2, 4);
  ASSERT_FALSE(comparison);
  EXPECT_NE(comparison.error().sentence.find("is of other settings than this point"),
            std::string::npos);
}

TEST_F(SweepSessionOf, a_recording_that_is_broken_or_missing_has_its_sentence_and_costs_nothing) {
  const auto journal = finished_sweep();
  const auto points = journal.parent_path() / kPointsFolder;
  std::ofstream(points / "naive_T=64.recording") << "tensorscope recording 1\nand nothing";
  std::filesystem::remove(points / "flash_T=64.recording");
  SweepSession sweeps;
  ASSERT_TRUE(sweeps.load(*session_, journal).has_value());
  const auto broken = opened(*session_, sweeps, 0);
  ASSERT_TRUE(broken && !broken->run);
  EXPECT_NE(broken->run.error().sentence.find("cut off or damaged"), std::string::npos)
      << broken->run.error().sentence;
  const auto missing = opened(*session_, sweeps, 3);
  ASSERT_TRUE(missing && !missing->run);
  EXPECT_NE(missing->run.error().sentence.find("no recording"), std::string::npos)
      << missing->run.error().sentence;
  EXPECT_EQ(sweeps.sweep()->count(PointStatus::ok), 6U);
  // Running the point again brings a new one.
  ASSERT_TRUE(sweeps.rerun(*session_, 0).has_value());
  finish(sweeps);
  SweepSession again;
  ASSERT_TRUE(again.load(*session_, journal).has_value());
  const auto whole = opened(*session_, again, 0);
  EXPECT_TRUE(whole && whole->run);
}

TEST_F(SweepSessionOf, points_that_cannot_be_written_are_measured_all_the_same) {
  const auto journal = finished_sweep();
  const auto points = journal.parent_path() / kPointsFolder;
  std::filesystem::remove_all(points);
  std::ofstream(points) << "a file where the folder should be";
  SweepSession sweeps;
  ASSERT_TRUE(sweeps.load(*session_, journal).has_value());
  ASSERT_TRUE(sweeps.rerun(*session_, 1).has_value());
  finish(sweeps);
  EXPECT_EQ(sweeps.sweep()->count(PointStatus::ok), 6U);
  EXPECT_FALSE(sweeps.runner()->recording_problem().empty());
  SweepSession again;
  ASSERT_TRUE(again.load(*session_, journal).has_value());
  EXPECT_EQ(again.sweep()->count(PointStatus::ok), 6U);
}

TEST_F(SweepSessionOf, two_points_are_compared_from_disk) {
  const auto journal = finished_sweep();
  SweepSession sweeps;
  ASSERT_TRUE(sweeps.load(*session_, journal).has_value());
  const auto comparison = sweeps.compare(0, 3);
  ASSERT_TRUE(comparison.has_value()) << comparison.error().sentence;
  ASSERT_FALSE(comparison->operators.empty());
  EXPECT_EQ(comparison->operators[0].name, "aten::mm");
  std::filesystem::remove_all(journal.parent_path() / kPointsFolder);
  EXPECT_FALSE(sweeps.compare(0, 3).has_value());
}

TEST_F(SweepSessionOf, a_sweep_that_another_program_writes_is_left_to_it) {
  SweepSession running(folder_.path());
  running.start(*session_, spec_);
  SweepSession sweeps;
  ASSERT_TRUE(sweeps.load(*session_, only_journal()).has_value());
  const auto taken = sweeps.resume(*session_);
  ASSERT_FALSE(taken.has_value());
  EXPECT_NE(taken.error().sentence.find("Another tensorscope is writing"), std::string::npos)
      << taken.error().sentence;
}

// An engine names a device that it cannot use, with the reason; no GPU took part then.
TEST(SweepIdentity, names_the_gpus_that_are_there) {
  run::EngineInfo engine;
  engine.devices.push_back({spec::DeviceKind::cpu, 0, "a processor", 0});
  engine.devices.push_back({spec::DeviceKind::cuda, 0, "CUDA", 0, {"no NVIDIA driver"}});
  EXPECT_TRUE(sweep_identity({}, engine).at("gpus").empty());
  engine.devices.push_back({spec::DeviceKind::cuda, 0, "NVIDIA H200", 1});
  EXPECT_EQ(sweep_identity({}, engine).at("gpus"), nlohmann::json({"NVIDIA H200"}));
}

}  // namespace
}  // namespace ts::app
