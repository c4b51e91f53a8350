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
