// The sweep of the window: journals that are opened, taken up again, widened.
#include "app/sweep_board.h"

#include <gtest/gtest.h>

#include <chrono>
#include <fstream>
#include <iterator>
#include <thread>

#include "app/sweep_files.h"
#include "tests/io/temporary_folder.h"
#include "tests/run/fake_engine.h"

namespace ts::app {
namespace {

using namespace std::chrono_literals;
using run::PointStatus;

class SweepBoardOf : public testing::Test {
 protected:
  SweepBoardOf() {
    spec_.axes = {*run::parse_axis("T=64:256:x2")};
    spec_.series = {*run::parse_series("backend=naive,flash")};
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
  static void drive(Session& session, SweepBoard* board, Condition condition) {
    const auto end = std::chrono::steady_clock::now() + 20s;
    while (!condition() && std::chrono::steady_clock::now() < end) {
      session.update();
      if (board != nullptr) board->update();
      std::this_thread::sleep_for(1ms);
    }
    ASSERT_TRUE(condition());
  }
  void finish(SweepBoard& board) {
    board.update();
    drive(*session_, &board, [&] { return board.idle(); });
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
    SweepBoard board(folder_.path());
    board.start(*session_, spec_);
    finish(board);
    EXPECT_EQ(board.sweep()->count(PointStatus::ok), 6U);
    return only_journal();
  }

  io::testing::TemporaryFolder folder_;
  run::SweepSpec spec_;
  std::shared_ptr<run::FakeScript> script_ = std::make_shared<run::FakeScript>();
  std::unique_ptr<Session> session_;
};

TEST_F(SweepBoardOf, looking_at_a_journal_runs_and_writes_nothing) {
  const auto journal = finished_sweep();
  ASSERT_FALSE(journal.empty());
  const std::string before = content(journal);
  const int prepared = script_->prepared;
  SweepBoard board;
  ASSERT_TRUE(board.load(*session_, journal).has_value());
  finish(board);
  EXPECT_EQ(board.sweep()->count(PointStatus::ok), 6U);
  EXPECT_EQ(script_->prepared, prepared);
  EXPECT_EQ(content(journal), before);
  EXPECT_FALSE(board.load(*session_, folder_.path() / "none.jsonl").has_value());
  EXPECT_EQ(board.sweep()->count(PointStatus::ok), 6U) << "the sweep there was stays";
}

TEST_F(SweepBoardOf, one_point_is_run_again_and_written) {
  const auto journal = finished_sweep();
  const std::string before = content(journal);
  const int prepared = script_->prepared;
  SweepBoard board;
  ASSERT_TRUE(board.load(*session_, journal.parent_path()).has_value()) << "the folder will do";
  ASSERT_TRUE(board.rerun(*session_, 2).has_value());
  finish(board);
  EXPECT_EQ(script_->prepared, prepared + 1) << "that one only";
  EXPECT_TRUE(board.run_of(2) != nullptr);
  const std::string after = content(journal);
  EXPECT_EQ(after.substr(0, before.size()), before);
  EXPECT_EQ(std::count(after.begin(), after.end(), '\n'), 8);
}

TEST_F(SweepBoardOf, values_and_series_are_added_and_the_file_knows) {
  const auto journal = finished_sweep();
  SweepBoard board;
  ASSERT_TRUE(board.load(*session_, journal).has_value());
  run::SweepSpec more = spec_;
  more.axes = {*run::parse_axis("T=512")};
  more.series = {*run::parse_series("backend=math")};
  ASSERT_TRUE(board.widen(*session_, more).has_value());
  EXPECT_EQ(board.sweep()->count(PointStatus::pending), 6U);
  ASSERT_TRUE(board.resume(*session_).has_value());
  finish(board);
  EXPECT_EQ(board.sweep()->count(PointStatus::ok), 12U);
  SweepBoard again;
  ASSERT_TRUE(again.load(*session_, journal).has_value());
  EXPECT_EQ(again.sweep()->count(PointStatus::ok), 12U);
  const auto nothing = board.widen(*session_, more);
  ASSERT_FALSE(nothing.has_value());
  EXPECT_NE(nothing.error().sentence.find("has all of these"), std::string::npos);
}

TEST_F(SweepBoardOf, another_library_is_looked_at_but_never_mixed_in) {
  const auto journal = finished_sweep();
  const std::string before = content(journal);
  script_->info.torch_version = "2.12.0";
  session_ = make_session();
  SweepBoard board;
  ASSERT_TRUE(board.load(*session_, journal).has_value());
  for (const auto& result : {board.resume(*session_), board.rerun(*session_, 0)}) {
    ASSERT_FALSE(result.has_value());
    EXPECT_NE(result.error().sentence.find("not comparable"), std::string::npos);
  }
  finish(board);
  EXPECT_EQ(content(journal), before);
  EXPECT_EQ(board.sweep()->count(PointStatus::ok), 6U);
}

// What opening a point brings, now or later.
std::optional<SweepBoard::Opened> opened(Session& session, SweepBoard& board, std::size_t point) {
  board.open(session, point);
  const auto end = std::chrono::steady_clock::now() + 20s;
  while (std::chrono::steady_clock::now() < end) {
    if (auto one = board.take_opened()) return one;
    std::this_thread::sleep_for(1ms);
  }
  return std::nullopt;
}

TEST_F(SweepBoardOf, points_of_a_journal_that_was_closed_open_from_their_recordings) {
  const auto journal = finished_sweep();
  SweepBoard board;
  ASSERT_TRUE(board.load(*session_, journal).has_value());
  for (std::size_t point = 0; point < 6; ++point) {
    ASSERT_EQ(board.run_of(point), nullptr);
    const auto one = opened(*session_, board, point);
    ASSERT_TRUE(one && one->run) << point;
    const run::Run& run = **one->run;
    EXPECT_EQ(run.spec, board.sweep()->points()[point].spec);
    EXPECT_TRUE(run.finished);
    EXPECT_GT(run.trace.slice_count(), 0U);
    EXPECT_EQ(run.timing().median_ms, board.sweep()->points()[point].measurement.step.median_ms);
    EXPECT_EQ(run.memory.peak_bytes(), board.sweep()->points()[point].measurement.peak_allocated);
  }
  EXPECT_NE(board.run_of(5), nullptr) << "read once";
  EXPECT_FALSE(board.opening());
}

TEST_F(SweepBoardOf, a_recording_that_is_broken_or_missing_has_its_sentence_and_costs_nothing) {
  const auto journal = finished_sweep();
  const auto points = journal.parent_path() / kPointsFolder;
  std::ofstream(points / "naive_T=64.recording") << "tensorscope recording 1\nand nothing";
  std::filesystem::remove(points / "flash_T=64.recording");
  SweepBoard board;
  ASSERT_TRUE(board.load(*session_, journal).has_value());
  const auto broken = opened(*session_, board, 0);
  ASSERT_TRUE(broken && !broken->run);
  EXPECT_NE(broken->run.error().sentence.find("cut off or damaged"), std::string::npos)
      << broken->run.error().sentence;
  const auto missing = opened(*session_, board, 3);
  ASSERT_TRUE(missing && !missing->run);
  EXPECT_NE(missing->run.error().sentence.find("no recording"), std::string::npos)
      << missing->run.error().sentence;
  EXPECT_EQ(board.sweep()->count(PointStatus::ok), 6U);
  // Running the point again brings a new one.
  ASSERT_TRUE(board.rerun(*session_, 0).has_value());
  finish(board);
  SweepBoard again;
  ASSERT_TRUE(again.load(*session_, journal).has_value());
  const auto whole = opened(*session_, again, 0);
  EXPECT_TRUE(whole && whole->run);
}

TEST_F(SweepBoardOf, points_that_cannot_be_written_are_measured_all_the_same) {
  const auto journal = finished_sweep();
  const auto points = journal.parent_path() / kPointsFolder;
  std::filesystem::remove_all(points);
  std::ofstream(points) << "a file where the folder should be";
  SweepBoard board;
  ASSERT_TRUE(board.load(*session_, journal).has_value());
  ASSERT_TRUE(board.rerun(*session_, 1).has_value());
  finish(board);
  EXPECT_EQ(board.sweep()->count(PointStatus::ok), 6U);
  EXPECT_FALSE(board.runner()->recording_problem().empty());
  SweepBoard again;
  ASSERT_TRUE(again.load(*session_, journal).has_value());
  EXPECT_EQ(again.sweep()->count(PointStatus::ok), 6U);
}

TEST_F(SweepBoardOf, two_points_are_compared_from_disk) {
  const auto journal = finished_sweep();
  SweepBoard board;
  ASSERT_TRUE(board.load(*session_, journal).has_value());
  const auto comparison = board.compare(0, 3);
  ASSERT_TRUE(comparison.has_value()) << comparison.error().sentence;
  ASSERT_FALSE(comparison->operators.empty());
  EXPECT_EQ(comparison->operators[0].name, "aten::mm");
  std::filesystem::remove_all(journal.parent_path() / kPointsFolder);
  EXPECT_FALSE(board.compare(0, 3).has_value());
}

TEST_F(SweepBoardOf, a_sweep_that_another_program_writes_is_left_to_it) {
  SweepBoard running(folder_.path());
  running.start(*session_, spec_);
  SweepBoard board;
  ASSERT_TRUE(board.load(*session_, only_journal()).has_value());
  const auto taken = board.resume(*session_);
  ASSERT_FALSE(taken.has_value());
  EXPECT_NE(taken.error().sentence.find("Another tensorscope is writing"), std::string::npos)
      << taken.error().sentence;
}

}  // namespace
}  // namespace ts::app
