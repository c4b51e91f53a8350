// Every wrong argument: exit code 2, nothing on standard output, one clear line on standard error.
#include <gtest/gtest.h>

#include <algorithm>

#include "tests/app/program.h"

namespace ts::app {
namespace {

struct BadInput {
  const char* arguments;
  const char* says;  // part of the sentence
};

class BadInputTest : public ::testing::TestWithParam<BadInput> {};

TEST_P(BadInputTest, IsOneSentenceAndCodeTwo) {
  const auto ended = testing::run_program(GetParam().arguments);
  EXPECT_EQ(ended.code, 2) << ended.err;
  EXPECT_EQ(ended.out, "");
  EXPECT_EQ(std::count(ended.err.begin(), ended.err.end(), '\n'), 1) << ended.err;
  EXPECT_NE(ended.err.find(GetParam().says), std::string::npos) << ended.err;
}

INSTANTIATE_TEST_SUITE_P(
    CommandLine, BadInputTest,
    ::testing::Values(
        BadInput{"frobnicate --now", "--now"}, BadInput{"run --colour", "--colour"},
        BadInput{"run nonsense", "nonsense"}, BadInput{"run attention --set T=0", "T"},
        BadInput{"run attention --set T=-5", "T"}, BadInput{"run attention --set T=abc", "abc"},
        BadInput{"run attention --set T=99999999999999999999", "T"},
        BadInput{"run attention --set T=1e400", "T"}, BadInput{"run attention --set B=0", "B"},
        BadInput{"run attention --set d_head=0", "d_head"},
        BadInput{"run attention --set cache=lukewarm", "lukewarm"},
        BadInput{"run lm --set d_model=8 --set heads=8", "rotary"},
        BadInput{"ab attention --with backend=cudnn", "cudnn"},
        BadInput{"ab attention --set backend=tiled --with compile=inductor",
                 "compile has no effect here: Loops over tiles are not compiled"},
        BadInput{"run attention --operators", "--json"},
        BadInput{"run --colour", "Try tensorscope run --help"},
        BadInput{"ab mlp --with heads=4", "heads has no effect here"},
        BadInput{"run attention --steps 1 --out /proc/nowhere", "/proc/nowhere cannot be made"},
        BadInput{"run attention --steps 1 --out /etc/passwd", "/etc/passwd cannot be made"},
        BadInput{"run attention --steps 1 --out ''", "has no name"},
        BadInput{"sweep --preset nosuch --out x", "there are acc2"},
        BadInput{"sweep attention --axis T=16 --out /proc/nowhere", "cannot be made"},
        BadInput{"run attention --set T", "KEY=VALUE"},
        BadInput{"run attention --set =5", "KEY=VALUE"},
        BadInput{"run attention --set sequence=5", "sequence"},
        BadInput{"run attention --set dtype=fp31", "fp31"},
        BadInput{"run attention --set memory_limit=-1GiB", "memory_limit"},
        BadInput{"run attention --set target_gpu=RTX9999", "RTX9999"},
        BadInput{"run block --set heads=7", "heads"}, BadInput{"run lm --set heads=0", "heads"},
        BadInput{"run attention --preset enormous", "enormous"},
        BadInput{"run attention --spec /nonexistent/spec.json", "/nonexistent/spec.json"},
        BadInput{"run attention --steps 0", "steps"},
        BadInput{"run attention --steps many", "many"}, BadInput{"shot", "--out"},
        BadInput{"shot --out a.png --size 12", "12"},
        BadInput{"shot --out a.png --size 0x0", "0x0"},
        BadInput{"shot --out a.png --size 99999x99999", "99999x99999"},
        BadInput{"shot --out a.png --scale 0.1", "0.1"},
        BadInput{"shot --out a.png --theme pink", "pink"},
        BadInput{"shot --out a.png --lang tlh", "tlh"},
        BadInput{"predict attention --gpu RTX4099", "did you mean RTX 4090"},
        BadInput{"predict attention --alloc-conf max_split_size_mb:x", "max_split_size_mb"},
        BadInput{"predict attention --gpu T4 --cpu", "exclude"},
        BadInput{"predict lm --cpu --set compile=inductor", "A compiled step is not predicted"},
        BadInput{"predict attention --set backend=flash", "flash"},
        BadInput{"predict attention --set T=-1", "T"},
        BadInput{"shot --out a.png --workspace kitchen", "kitchen"},
        BadInput{"shot --out a.png --workspace operators --tab leaves", "leaves"},
        BadInput{"shot --out a.png --tab tree", "--workspace operators"},
        BadInput{"replay", "SNAPSHOT"},
        BadInput{"replay /nonexistent/snapshot.pickle", "/nonexistent/snapshot.pickle"},
        BadInput{"replay /etc/passwd", "neither a pickle"}, BadInput{"replay /tmp", "/tmp"},
        BadInput{"replay a.pickle --gpu 'RTX 4091'", "did you mean RTX 4090?"},
        BadInput{"replay a.pickle --gpu banana", "banana"},
        BadInput{"replay a.pickle --alloc-conf max_split_size_mb:x", "max_split_size_mb"},
        BadInput{"replay a.pickle --alloc-conf colour:red", "colour"},
        BadInput{"replay a.pickle --alloc-conf backend:cudaMallocAsync", "cudaMallocAsync"},
        BadInput{"replay a.pickle --device -1", "device"}));

// A corpus that cannot be read says so before anything runs.
TEST(BadInput, CorpusThatIsEmptyNoTextOrTooShort) {
  const testing::TemporaryFolder folder;
  const auto write = [&](const char* name, std::string_view words) {
    const auto file = folder.path() / name;
    std::ofstream(file, std::ios::binary) << words;
    return file.string();
  };
  using namespace std::string_view_literals;
  const std::string empty = write("empty.txt", "");
  const std::string binary = write("binary.txt", "to be\0or not\x01\x02"sv);
  const std::string broken = write("broken.txt", "to be \xff\xfe or not");
  const std::string small = write("short.txt", "to be or not");
  struct Case {
    std::string file;
    std::string settings;
    std::string says;
  };
  for (const Case& one : {Case{empty, "", "is empty"}, Case{binary, "", "no text"},
                          Case{broken, " --set tokenizer=char", "no text"},
                          Case{small, " --set T=12", "needs at least 13"},
                          Case{small, " --set T=4 --set vocab=99", "raise vocab"},
                          Case{folder.path().string(), "", folder.path().string()}}) {
    const auto ended =
        testing::run_program("run lm --preset tiny --set corpus=" + one.file + one.settings);
    EXPECT_EQ(ended.code, 2) << ended.err;
    EXPECT_EQ(std::count(ended.err.begin(), ended.err.end(), '\n'), 1) << ended.err;
    EXPECT_NE(ended.err.find(one.says), std::string::npos) << ended.err;
    EXPECT_NE(ended.err.find(one.file), std::string::npos) << ended.err;
  }
}

TEST(BadInput, SpecFileThatIsNotJson) {
  const testing::TemporaryFolder folder;
  const auto file = folder.path() / "spec.json";
  std::ofstream(file) << "{\"T\": 12";
  const auto ended = testing::run_program("run attention --spec " + file.string());
  EXPECT_EQ(ended.code, 2);
  EXPECT_NE(ended.err.find("not valid JSON"), std::string::npos) << ended.err;
}

TEST(BadInput, SpecFileWithUnknownKeyNamesIt) {
  const testing::TemporaryFolder folder;
  const auto file = folder.path() / "spec.json";
  std::ofstream(file) << R"({"workload": "attention", "seq_length": 12})";
  const auto ended = testing::run_program("run --spec " + file.string());
  EXPECT_EQ(ended.code, 2);
  EXPECT_NE(ended.err.find("seq_length"), std::string::npos) << ended.err;
}

TEST(Help, IsOnStandardOutput) {
  const auto ended = testing::run_program("--help");
  EXPECT_EQ(ended.code, 0);
  EXPECT_NE(ended.out.find("run"), std::string::npos);
  EXPECT_EQ(ended.err, "");
}

}  // namespace
}  // namespace ts::app
