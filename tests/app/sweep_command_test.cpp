// The sweep command as a user types it, with the real engine: what it writes, and that nothing
// measured is lost by Control-C, a kill or a full disk.
#include <fcntl.h>
#include <gtest/gtest.h>
#include <signal.h>

#include <algorithm>
#include <chrono>
#include <nlohmann/json.hpp>
#include <thread>

#include "tests/app/program.h"

namespace ts::app {
namespace {

using namespace std::chrono_literals;

constexpr const char* kTiny =
    "sweep attention --set B=1 --set heads=2 --set d_head=32 --steps 8 --series "
    "backend=naive,flash ";

std::size_t lines_of(const std::filesystem::path& path) {
  const std::string text = testing::read(path);
  return static_cast<std::size_t>(std::count(text.begin(), text.end(), '\n'));
}

// Starts the program and leaves it running.
pid_t start_program(const std::string& arguments) {
  const pid_t child = fork();
  if (child == 0) {
    const int nothing = open("/dev/null", O_RDWR);
    for (const int descriptor : {0, 1, 2}) dup2(nothing, descriptor);
    const std::string command = "exec " TENSORSCOPE_PROGRAM " " + arguments;
    execl("/bin/sh", "sh", "-c", command.c_str(), nullptr);
    _exit(127);
  }
  return child;
}

bool wait_for_lines(const std::filesystem::path& path, std::size_t lines) {
  for (int i = 0; i < 6000; ++i) {
    if (std::filesystem::exists(path) && lines_of(path) >= lines) return true;
    std::this_thread::sleep_for(10ms);
  }
  return false;
}

TEST(SweepCommand, WritesEverythingPromised) {
  const testing::TemporaryFolder folder;
  const auto out = folder.path() / "deep" / "er";
  const auto ended =
      testing::run_program(kTiny + std::string("--axis T=64:256:x2 --json --out ") + out.string());
  ASSERT_EQ(ended.code, 0) << ended.err;
  const auto json = testing::document_of(ended);
  ASSERT_EQ(json["points"].size(), 6U);
  for (const auto& point : json["points"]) {
    EXPECT_EQ(point["status"], "ok") << point;
    EXPECT_EQ(point["backend_ran"], point["series"]) << point;
    EXPECT_EQ(point["step_ms"]["n"], 8);
    EXPECT_GT(point["tokens_per_s"].get<double>(), 0);
  }
  EXPECT_EQ(json["fits"].size(), 6U);
  EXPECT_TRUE(json["environment"].contains("cpu"));
  EXPECT_EQ(nlohmann::json::parse(testing::read(out / "sweep.json"))["points"], json["points"]);
  EXPECT_NE(testing::read(out / "sweep.csv").find("naive,64,ok,yes,8,"), std::string::npos);
  EXPECT_NE(testing::read(out / "sweep.md").find("| T | naive ms | flash ms |"), std::string::npos);
  EXPECT_NE(testing::read(out / "sweep.tex").find("\\toprule"), std::string::npos);
  EXPECT_EQ(lines_of(out / "sweep.jsonl"), 7U);
  EXPECT_EQ(testing::read(out / "figure.png").substr(1, 3), "PNG");
  EXPECT_NE(testing::read(out / "figure.svg").find("flash</text>"), std::string::npos);
  EXPECT_NE(ended.err.find("flash, T = 256: "), std::string::npos) << ended.err;
}

TEST(SweepCommand, OutOfMemoryIsARowAndTheSweepGoesOn) {
  const testing::TemporaryFolder folder;
  const auto ended = testing::run_program(
      kTiny +
      std::string(
          "--axis T=64:4096:x4 --set memory_limit=8MiB --max-seconds 100000 --json --out ") +
      folder.path().string());
  ASSERT_EQ(ended.code, 0) << ended.err << "out of memory is a result";
  std::size_t oom = 0;
  std::size_t confirmed = 0;
  const auto json = testing::document_of(ended);
  for (const auto& point : json["points"]) {
    if (point["status"] != "oom") continue;
    ++oom;
    EXPECT_EQ(point["series"], "naive");
    EXPECT_GE(point["at"]["T"], 1024);
    const auto& failure = point["measured"] ? point["failure"] : point["predicted"]["failure"];
    EXPECT_FALSE(failure["op"].get<std::string>().empty());
    EXPECT_GT(failure["bytes_asked"], failure["bytes_free"]);
    confirmed += point["measured"] ? 1 : 0;
    // The dry run names the very allocation that the device refuses.
    if (point["measured"]) {
      EXPECT_EQ(point["failure"], point["predicted"]["failure"]) << point;
    }
  }
  EXPECT_EQ(oom, 2U);
  EXPECT_EQ(confirmed, 1U) << "one run beyond the edge";
  for (const auto& point : json["points"]) {
    if (point["status"] != "ok") continue;
    EXPECT_EQ(point["peak_predicted"], point["peak_allocated"]) << point;
  }
  EXPECT_NE(testing::read(folder.path() / "sweep.tex").find("& OOM &"), std::string::npos);
}

TEST(SweepCommand, PredictsForACardThatIsNotThereAndRunsNothing) {
  const testing::TemporaryFolder folder;
  const auto ended = testing::run_program(
      "sweep --preset a2-21 --gpu \"rtx 4060\" --predict --json --out " + folder.path().string());
  ASSERT_EQ(ended.code, 0) << ended.err;
  const auto json = testing::document_of(ended);
  ASSERT_EQ(json["points"].size(), 20U);
  for (const auto& point : json["points"]) {
    EXPECT_FALSE(point["measured"].get<bool>());
    EXPECT_GT(point["peak_predicted"].get<double>(), 0) << point;
    // The course's finding on its card of 8 GB.
    const auto t = point["at"]["T"].get<int>();
    EXPECT_EQ(point["predicted"]["fit"], t <= 4096 ? "fits" : "oom") << point;
  }
  EXPECT_EQ(lines_of(folder.path() / "sweep.jsonl"), 1U);
  EXPECT_NE(testing::read(folder.path() / "sweep.md").find("naive MiB allocated, predicted"),
            std::string::npos);
  const auto run = testing::run_program("sweep --preset lab6 --gpu h200 --out " +
                                        (folder.path() / "x").string());
  if (run.code != 0) {
    EXPECT_EQ(run.code, 2);
    EXPECT_NE(run.err.find("give --predict"), std::string::npos) << run.err;
    EXPECT_FALSE(std::filesystem::exists(folder.path() / "x"));
  }
}

TEST(SweepCommand, PresetsOfTheCourse) {
  const auto help = testing::run_program("sweep --help");
  EXPECT_NE(help.out.find("LAB-6, LAB-7: attention, T=256:2048:x2, backend=naive,flash"),
            std::string::npos);
  const testing::TemporaryFolder folder;
  const auto ended = testing::run_program(
      "sweep --preset lab6 --axis T=64,128 --set B=1 --set heads=2 --steps 6 --json --out " +
      folder.path().string());
  ASSERT_EQ(ended.code, 0) << ended.err;
  const auto json = testing::document_of(ended);
  EXPECT_EQ(json["points"].size(), 4U);
  EXPECT_EQ(json["sweep"]["base"]["causal"], false) << "what is not given is the preset's";
  const auto other =
      testing::run_program("sweep lm --preset lab6 --out " + (folder.path() / "x").string());
  EXPECT_EQ(other.code, 2);
  EXPECT_NE(other.err.find("is one of attention"), std::string::npos) << other.err;
}

TEST(SweepCommand, ASweepOfTheCourseTakesTheShapeOfAPreset) {
  const testing::TemporaryFolder folder;
  const std::string out = folder.path().string();
  const auto ended = testing::run_program(
      "sweep --preset checkpoint --preset tiny --axis checkpoint_every=1,2 --predict --json "
      "--out " +
      out);
  ASSERT_EQ(ended.code, 0) << ended.err;
  const auto base = testing::document_of(ended)["sweep"]["base"];
  EXPECT_EQ(base["vocab"], 1000) << "of tiny";
  EXPECT_EQ(base["T"], 512) << "the exercise sets it after the shape";
  EXPECT_EQ(base["checkpoint"], "blocks");
  for (const auto& [arguments, sentence] :
       {std::pair{"sweep --preset a2-5 --preset tiny", "compares presets itself"},
        std::pair{"sweep --preset lab6 --preset tiny", "no preset \"tiny\" for attention"},
        std::pair{"sweep --preset lab6 --preset lab8", "no preset \"lab8\" for attention"}}) {
    const auto wrong = testing::run_program(std::string(arguments) + " --out " + out + "/x");
    EXPECT_EQ(wrong.code, 2);
    EXPECT_NE(wrong.err.find(sentence), std::string::npos) << wrong.err;
  }
  EXPECT_EQ(testing::run_program("run lm --preset tiny --preset small").code, 2);
}

TEST(SweepCommand, TwoPointsAreComparedByOperatorModuleAndMemory) {
  const testing::TemporaryFolder folder;
  const std::string out = folder.path().string();
  ASSERT_EQ(testing::run_program(kTiny + std::string("--axis T=64,256 --out ") + out).code, 0);
  const auto ended = testing::run_program("compare " + out + " flash_T=256 naive_T=256 --json");
  ASSERT_EQ(ended.code, 0) << ended.err;
  const auto json = testing::document_of(ended);
  bool softmax = false;
  for (const auto& row : json["operators"]) {
    if (row["name"] != "aten::_softmax") continue;
    softmax = true;
    EXPECT_TRUE(row["values"][0].is_null()) << "flash has no softmax of its own";
    EXPECT_GT(row["values"][1].get<double>(), 0);
  }
  EXPECT_TRUE(softmax) << json["operators"];
  double bytes = 0;
  for (const auto& row : json["peak"]["categories"]) {
    bytes += row["values"][1].is_null() ? 0 : row["values"][1].get<double>();
  }
  EXPECT_EQ(bytes, json["peak_allocated"][1].get<double>()) << "the categories add up";
  const auto words = testing::run_program("compare " + out + " naive_T=64 naive_T=256");
  EXPECT_NE(words.out.find("| operator | calls A | calls B |"), std::string::npos) << words.out;
  const auto none = testing::run_program("compare " + out + " naive_T=64 naive_T=1");
  EXPECT_EQ(none.code, 2);
  EXPECT_NE(none.err.find("there are flash_T=256, flash_T=64"), std::string::npos) << none.err;
}

TEST(SweepCommand, KilledInTheMiddleGoesOnAndKeepsWhatItMeasured) {
  const testing::TemporaryFolder folder;
  const auto journal = folder.path() / "sweep.jsonl";
  const std::string arguments =
      kTiny + std::string("--axis T=64:512:x2 --out ") + folder.path().string();
  const pid_t child = start_program(arguments);
  ASSERT_TRUE(wait_for_lines(journal, 3));
  kill(child, SIGKILL);
  int status = 0;
  waitpid(child, &status, 0);
  ASSERT_TRUE(WIFSIGNALED(status)) << "it should not have been done yet";
  const std::string before = testing::read(journal);
  const std::string whole = before.substr(0, before.rfind('\n') + 1);

  const auto ended = testing::run_program("sweep --resume --json --out " + folder.path().string());
  ASSERT_EQ(ended.code, 0) << ended.err;
  EXPECT_EQ(testing::read(journal).substr(0, whole.size()), whole) << "nothing is measured twice";
  EXPECT_EQ(lines_of(journal), 9U);
  const auto json = testing::document_of(ended);
  for (const auto& point : json["points"]) EXPECT_EQ(point["status"], "ok") << point;
  const auto first = nlohmann::json::parse(whole.substr(
      whole.find('\n') + 1, whole.find('\n', whole.find('\n') + 1) - whole.find('\n') - 1));
  bool found = false;
  for (auto point : json["points"]) {
    // Figures of all points together are in no line of the journal.
    point.erase("step_ms_estimated_from_neighbour");
    point.erase("theory");
    point.erase("faster_than_bound");
    found = found || point == first;
  }
  EXPECT_TRUE(found) << first;

  const auto again = testing::run_program("sweep --resume --json --out " + folder.path().string());
  EXPECT_EQ(again.code, 0);
  EXPECT_EQ(testing::document_of(again)["points"], json["points"]);
}

// Control-C, the end of a terminal and a polite kill alike.
class EndedSweep : public ::testing::TestWithParam<int> {};

TEST_P(EndedSweep, KeepsEverythingAndWritesTheTables) {
  const testing::TemporaryFolder folder;
  const pid_t child =
      start_program(kTiny + std::string("--axis T=64:512:x2 --out ") + folder.path().string());
  ASSERT_TRUE(wait_for_lines(folder.path() / "sweep.jsonl", 2));
  kill(child, GetParam());
  int status = 0;
  waitpid(child, &status, 0);
  ASSERT_TRUE(WIFEXITED(status));
  EXPECT_EQ(WEXITSTATUS(status), 1) << "points are missing";
  const auto json = nlohmann::json::parse(testing::read(folder.path() / "sweep.json"));
  std::size_t ok = 0;
  std::size_t cancelled = 0;
  for (const auto& point : json["points"]) {
    ok += point["status"] == "ok" ? 1 : 0;
    cancelled += point["status"] == "cancelled" ? 1 : 0;
  }
  EXPECT_GE(ok, 1U);
  EXPECT_GE(cancelled, 1U);
  EXPECT_EQ(ok + cancelled, 8U);
  const auto ended = testing::run_program("sweep --resume --json --out " + folder.path().string());
  EXPECT_EQ(ended.code, 0) << ended.err;
}

INSTANTIATE_TEST_SUITE_P(By, EndedSweep, ::testing::Values(SIGINT, SIGTERM, SIGHUP));

TEST(SweepCommand, AFullDiskHasItsSentenceAndStandardOutputTheRest) {
  const testing::TemporaryFolder folder;
  // No file may grow beyond 6 blocks: the shell's limit stands for the end of the disk.
  const auto ended = testing::run_program(
      kTiny + std::string("--axis T=64:512:x2 --json --out ") + folder.path().string(),
      "trap '' XFSZ; ulimit -f 6;");
  EXPECT_EQ(ended.code, 1);
  const auto journal = folder.path() / "sweep.jsonl";
  EXPECT_NE(ended.err.find("Cannot write " + journal.string()), std::string::npos) << ended.err;
  const std::string kept = testing::read(journal);
  ASSERT_FALSE(kept.empty());
  EXPECT_EQ(kept.back(), '\n') << "whole lines only";
  EXPECT_LT(lines_of(journal), 9U);
  const auto again = testing::run_program("sweep --resume --json --out " + folder.path().string());
  EXPECT_EQ(again.code, 0) << again.err;
  EXPECT_EQ(lines_of(journal), 9U);
}

// A file system of its own that is really full: the journal has what fits, in whole lines, and the
// recordings of points take none of it.
TEST(SweepCommand, ATinyDiskIsTheJournals) {
  const testing::TemporaryFolder folder;
  const auto disk = folder.path() / "disk";
  const auto kept = folder.path() / "kept";
  std::filesystem::create_directories(disk);
  std::filesystem::create_directories(kept);
  const std::string mount = "mount -t tmpfs -o size=12k none " + disk.string();
  const std::string apart = "unshare -rm sh -c '" + mount + "' 2>/dev/null";
  if (std::system(apart.c_str()) != 0) GTEST_SKIP() << "needs user namespaces or root";
  const std::string command = std::string(TENSORSCOPE_PROGRAM) + " " + kTiny +
                              "--axis T=64:512:x2 --json --out " + disk.string();
  const std::string script = "unshare -rm sh -c '" + mount + " && { " + command + " > " +
                             (kept / "out").string() + " 2> " + (kept / "err").string() +
                             "; cp -r " + disk.string() + "/. " + kept.string() + "; }'";
  ASSERT_EQ(std::system(script.c_str()), 0);
  const std::string err = testing::read(kept / "err");
  EXPECT_NE(err.find("No space left on device"), std::string::npos) << err;
  const std::string journal = testing::read(kept / "sweep.jsonl");
  ASSERT_FALSE(journal.empty());
  EXPECT_EQ(journal.back(), '\n') << "whole lines only";
  EXPECT_GE(lines_of(kept / "sweep.jsonl"), 3U);
  std::size_t others = 0;
  std::error_code error;
  for (const auto& entry : std::filesystem::directory_iterator(kept / "points", error)) {
    others += entry.is_regular_file() ? 1 : 0;
  }
  EXPECT_EQ(others, 0U);
  // Everything that was measured is on standard output, and the journal goes on elsewhere.
  const auto json = nlohmann::json::parse(testing::read(kept / "out"));
  for (const auto& point : json["points"]) EXPECT_EQ(point["status"], "ok");
  const auto again = testing::run_program("sweep --resume --json --out " + kept.string());
  EXPECT_EQ(again.code, 0) << again.err;
  EXPECT_EQ(lines_of(kept / "sweep.jsonl"), 9U);
}

TEST(SweepCommand, AnotherSweepOrProgramIsRefusedAndNothingIsTouched) {
  const testing::TemporaryFolder folder;
  const std::string out = " --out " + folder.path().string();
  ASSERT_EQ(testing::run_program(kTiny + std::string("--axis T=64") + out).code, 0);
  const auto journal = folder.path() / "sweep.jsonl";
  const std::string before = testing::read(journal);

  const auto over = testing::run_program(kTiny + std::string("--axis T=64") + out);
  EXPECT_EQ(over.code, 2);
  EXPECT_NE(over.err.find("--resume"), std::string::npos) << over.err;
  const auto other = testing::run_program(kTiny + std::string("--axis T=128 --resume") + out);
  EXPECT_EQ(other.code, 2);
  EXPECT_NE(other.err.find("is another one"), std::string::npos) << other.err;
  EXPECT_EQ(testing::read(journal), before);

  std::string older = before;
  older.replace(older.find("tensorscope 0."), 14, "tensorscope 9.");
  std::ofstream(journal, std::ios::binary | std::ios::trunc) << older;
  const auto version = testing::run_program("sweep --resume" + out);
  EXPECT_EQ(version.code, 2);
  EXPECT_NE(version.err.find("not comparable"), std::string::npos) << version.err;
  EXPECT_EQ(testing::read(journal), older);
}

TEST(SweepCommand, GoesOnOnlyAsItWasMeasured) {
  const testing::TemporaryFolder folder;
  const std::string out = " --out " + folder.path().string();
  ASSERT_EQ(testing::run_program(kTiny + std::string("--axis T=64 --max-seconds 200") + out).code,
            0);
  const auto refused = [&](const std::string& options, const std::string& says) {
    const auto ended = testing::run_program("sweep --resume" + options + out);
    EXPECT_EQ(ended.code, 2) << options;
    EXPECT_NE(ended.err.find(says), std::string::npos) << ended.err;
  };
  refused(" --steps 9", "was measured with --steps 8: leave out --steps");
  refused(" --max-seconds 100", "was measured with --max-seconds 200: leave out --max-seconds");
  EXPECT_EQ(testing::run_program("sweep --resume --steps 8 --max-seconds 200" + out).code, 0);
  EXPECT_EQ(testing::run_program(kTiny + std::string("--axis T=64 --resume") + out).code, 0);
}

// A header cut off by a crash is begun again; what another sweep left in the
// folder goes; what is not the program's stays.
TEST(SweepCommand, BeginsAgainWhereNothingWasMeasured) {
  const testing::TemporaryFolder folder;
  const std::string sweep = kTiny + std::string("--axis T=64 --out ") + folder.path().string();
  std::ofstream(folder.path() / "sweep.jsonl") << "{\"identity\":{\"gp";
  const auto resumed = testing::run_program("sweep --resume --out " + folder.path().string());
  EXPECT_EQ(resumed.code, 2);
  EXPECT_NE(resumed.err.find("begin the sweep again, without --resume"), std::string::npos)
      << resumed.err;
  ASSERT_EQ(testing::run_program(sweep).code, 0);
  EXPECT_EQ(lines_of(folder.path() / "sweep.jsonl"), 3U);

  std::filesystem::remove(folder.path() / "sweep.jsonl");
  const auto points = folder.path() / "points";
  std::ofstream(points / "naive_T=999.json") << "{}";
  ASSERT_EQ(testing::run_program(sweep).code, 0);
  EXPECT_FALSE(std::filesystem::exists(points / "naive_T=999.json"));
  EXPECT_TRUE(std::filesystem::exists(points / "naive_T=64.json"));

  const testing::TemporaryFolder mine;
  std::ofstream(mine.path() / "sweep.csv") << "my own";
  const auto refused =
      testing::run_program(kTiny + std::string("--axis T=64 --out ") + mine.path().string());
  EXPECT_EQ(refused.code, 2);
  EXPECT_NE(refused.err.find("holds sweep.csv and no list of what tensorscope wrote there"),
            std::string::npos)
      << refused.err;
  EXPECT_EQ(testing::read(mine.path() / "sweep.csv"), "my own");
}

TEST(SweepCommand, BadInputIsOneSentenceAndCodeTwo) {
  const testing::TemporaryFolder folder;
  const std::string out = " --out " + (folder.path() / "x").string();
  for (const char* arguments : {"sweep attention",
                                "sweep attention --axis T",
                                "sweep attention --axis T=9:3:x2",
                                "sweep attention --axis T=1:9:*2",
                                "sweep attention --axis backend=naive",
                                "sweep attention --axis layers=1,2",
                                "sweep attention --axis T=64 --axis T=128",
                                "sweep attention --axis T=64 --series backend=fast",
                                "sweep nothing --axis T=64",
                                "sweep attention --axis T=64 --steps 0",
                                "sweep attention --axis T=0",
                                "sweep --resume",
                                "sweep attention --axis T=64 --theme pink",
                                "sweep attention --axis T=64 --size big",
                                "sweep mlp --axis T=64 --series backend=naive,flash",
                                "sweep attention --axis T=64 --fit 9",
                                "sweep attention --axis T=64 --fit 9:3",
                                "sweep attention --axis T=64 --linear z",
                                "sweep attention --axis T=64 --linear x --log xy",
                                "sweep attention --axis T=64 --series preset=small"}) {
    const auto ended = testing::run_program(arguments + out);
    EXPECT_EQ(ended.code, 2) << arguments;
    EXPECT_EQ(std::count(ended.err.begin(), ended.err.end(), '\n'), 1) << ended.err;
    EXPECT_EQ(ended.out, "");
  }
  EXPECT_EQ(testing::run_program("sweep attention --axis T=64").code, 2) << "--out is missing";
  EXPECT_FALSE(std::filesystem::exists(folder.path() / "x"));
}

TEST(SweepCommand, OnlyTheChosenPartsAreWritten) {
  const testing::TemporaryFolder folder;
  const auto out = folder.path() / "sweep";
  const auto there = [&](const char* name) { return std::filesystem::exists(out / name); };
  const std::string sweep =
      "sweep attention --axis T=64,128 --gpu h200 --predict --out " + out.string();
  ASSERT_EQ(testing::run_program(sweep + " --parts tables,report --lang zh-TW").code, 0);
  EXPECT_TRUE(there("sweep.json") && there("sweep.csv") && there("sweep.jsonl"));
  EXPECT_FALSE(there("figure.png"));
  const std::string report = testing::read(out / "report.md");
  EXPECT_NE(report.find("tensorscope sweep --spec ./spec.json"), std::string::npos) << report;
  EXPECT_NE(report.find("\xe6\x8e\x83\xe6\x8f\x8f"), std::string::npos) << "in Chinese: " << report;
  ASSERT_EQ(
      testing::run_program("sweep --resume --predict --parts none --out " + out.string()).code, 0);
  EXPECT_TRUE(there("sweep.json") && there("sweep.jsonl"));
  EXPECT_FALSE(there("sweep.csv") || there("report.md"));
  const auto wrong = testing::run_program(sweep + "2 --parts trace");
  EXPECT_EQ(wrong.code, 2);
  EXPECT_NE(wrong.err.find("there are tables,pictures,report, or none"), std::string::npos)
      << wrong.err;
}

}  // namespace
}  // namespace ts::app
