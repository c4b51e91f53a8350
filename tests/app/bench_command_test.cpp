// `tensorscope bench`: an interrupt keeps what was measured; our attention in its stages.
#include <fcntl.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <gtest/gtest.h>

#include <chrono>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>
#include <thread>

#include "tests/app/program.h"

namespace ts::app::testing {
namespace {

using nlohmann::json;
using namespace std::chrono_literals;

// A document that is written while it is read may not be there yet.
json document_in(const std::filesystem::path& folder) {
  return json::parse(read(folder / "bench.json"), nullptr, false);
}

struct EndedBench : ::testing::TestWithParam<int> {};

TEST_P(EndedBench, KeepsTheSizesThatWereMeasured) {
  const TemporaryFolder folder;
  const auto errors = folder.path() / "err", out = folder.path() / "out";
  const pid_t child = fork();
  if (child == 0) {
    const int to = open(errors.c_str(), O_CREAT | O_WRONLY, 0600);
    dup2(to, STDERR_FILENO);
    dup2(open("/dev/null", O_WRONLY), STDOUT_FILENO);
    execl(TENSORSCOPE_PROGRAM, TENSORSCOPE_PROGRAM, "bench", "attention", "--lengths", "64",
          "--pairs", "2", "--out", out.c_str(), nullptr);
    _exit(127);
  }
  for (int i = 0; i < 3000 && !document_in(out).is_object(); ++i) std::this_thread::sleep_for(20ms);
  kill(child, GetParam());
  int status = 0;
  waitpid(child, &status, 0);
  ASSERT_TRUE(WIFEXITED(status)) << "it ends by itself";
  EXPECT_EQ(WEXITSTATUS(status), 1);
  const json document = document_in(out);
  ASSERT_TRUE(document.is_object());
  const json& cut = document["cut_short"];
  ASSERT_TRUE(cut.is_object());
  EXPECT_EQ(cut["of"], 8);
  EXPECT_EQ(cut["reason"], "Cancelled");
  EXPECT_EQ(document["points"].size(), cut["done"]);
  EXPECT_GE(document["points"].size(), 1U);
  const std::string said =
      "Cut short after " + std::to_string(cut["done"].get<int>()) + " of 8 sizes: Cancelled";
  EXPECT_NE(read(errors).find(said), std::string::npos) << read(errors);
  EXPECT_NE(read(out / "bench.md").find(said), std::string::npos);
  EXPECT_TRUE(std::filesystem::exists(out / "bench.png"));
  EXPECT_FALSE(read(out / "bench.csv").empty());
  // The folder is the command's: it may be used again.
  const Ended again = run_program("bench attention --lengths 64 --pairs 2 --out " + out.string());
  EXPECT_EQ(again.code, 0) << again.err;
  EXPECT_TRUE(document_in(out)["cut_short"].is_null());
  EXPECT_EQ(read(out / "bench.md").find("Cut short"), std::string::npos);
}

INSTANTIATE_TEST_SUITE_P(By, EndedBench, ::testing::Values(SIGINT, SIGTERM));

TEST(BenchCommand, TimesTheStagesOfOurAttention) {
  const Ended ended = run_program(
      "bench stages --set T=64 --set heads=1 --set d_head=32 --set threads=1 --pairs 2 --json");
  ASSERT_EQ(ended.code, 0) << ended.err;
  const json document = document_of(ended);
  EXPECT_TRUE(document["cut_short"].is_null());
  const json& stages = document["stages"];
  ASSERT_GE(stages.size(), 2U);
  ASSERT_EQ(stages.size() % 2, 0U) << "each forward, and with backward";
  EXPECT_EQ(stages[0]["instructions"], "portable");
  EXPECT_EQ(stages[0]["spec"]["pass"], "forward");
  EXPECT_EQ(stages[1]["spec"]["pass"], "forward+backward");
  for (const json& one : stages) {
    EXPECT_GT(one["ours_ms"].get<double>(), 0);
    EXPECT_GT(one["flash_ms"].get<double>(), 0);
    EXPECT_EQ(one["spec"]["T"], 64);
  }
  EXPECT_GT(document["roof"]["tflops"].get<double>(), 0);
}

}  // namespace
}  // namespace ts::app::testing
