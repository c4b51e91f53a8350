#include "core/io/child_process.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <chrono>
#include <csignal>
#include <thread>

#include "tests/io/temporary_folder.h"

namespace ts::io {
namespace {

using namespace std::chrono_literals;
using testing::content_of;
using testing::TemporaryFolder;

class ChildProcess : public ::testing::Test {
 protected:
  base::Result<int> shell(const std::string& text) {
    return run_child({{"sh", "-c", text}, environment_, folder_ / "log"}, cancel_);
  }
  [[nodiscard]] std::string log() const { return content_of(folder_ / "log"); }

  TemporaryFolder folder_;
  base::CancelToken cancel_;
  std::vector<std::pair<std::string, std::string>> environment_;
};

TEST_F(ChildProcess, tells_its_exit_code_and_what_it_said) {
  EXPECT_EQ(shell("echo out; echo err >&2; exit 3").value(), 3);
  EXPECT_EQ(log(), "out\nerr\n");
}

TEST_F(ChildProcess, that_a_signal_ended_has_its_number) {
  EXPECT_EQ(shell("kill -9 $$").value(), 128 + SIGKILL);
}

TEST_F(ChildProcess, reads_nothing) {
  EXPECT_EQ(shell("cat; echo end").value(), 0);
  EXPECT_EQ(log(), "end\n");
}

TEST_F(ChildProcess, sees_our_environment_with_what_is_set_for_it) {
  ASSERT_EQ(setenv("TENSORSCOPE_TEST_A", "ours", 1), 0);
  ASSERT_EQ(setenv("TENSORSCOPE_TEST_B", "ours", 1), 0);
  environment_ = {{"TENSORSCOPE_TEST_B", "its own"}};
  EXPECT_EQ(shell("echo $TENSORSCOPE_TEST_A, $TENSORSCOPE_TEST_B").value(), 0);
  EXPECT_EQ(log(), "ours, its own\n");
  EXPECT_STREQ(getenv("TENSORSCOPE_TEST_B"), "ours");
}

TEST_F(ChildProcess, that_does_not_exist_has_its_sentence) {
  const auto result = run_child({{"/no/such/program"}, {}, folder_ / "log"}, cancel_);
  ASSERT_FALSE(result);
  EXPECT_EQ(result.error().sentence, "Cannot start /no/such/program: No such file or directory");
}

// The child does not listen, and what it started would go on for a minute.
TEST_F(ChildProcess, is_ended_with_all_it_started_when_cancelled) {
  std::thread soon([this] {
    std::this_thread::sleep_for(200ms);
    cancel_.cancel();
  });
  const auto begin = std::chrono::steady_clock::now();
  const auto result = shell("trap '' TERM; sleep 60 & echo $!; wait; sleep 60");
  soon.join();
  ASSERT_FALSE(result);
  EXPECT_EQ(result.error().sentence, "Cancelled");
  EXPECT_LT(std::chrono::steady_clock::now() - begin, 10s);
  // Ended, or still waiting for its parent to take notice.
  const std::string state = "/proc/" + std::to_string(std::stoi(log())) + "/stat";
  bool gone = false;
  for (int i = 0; i < 100 && !gone; ++i) {
    const std::string text = std::filesystem::exists(state) ? content_of(state) : std::string();
    gone = text.empty() || text.find(") Z") != std::string::npos;
    std::this_thread::sleep_for(20ms);
  }
  EXPECT_TRUE(gone);
}

}  // namespace
}  // namespace ts::io
