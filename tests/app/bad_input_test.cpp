// Every wrong argument: exit code 2, nothing on standard output, one clear line on standard error.
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <string>
#include <string_view>
#include <utility>

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
  // It is short and plain on the terminal.
  EXPECT_LT(ended.err.size(), 1200U);
  for (const char c : ended.err) {
    EXPECT_TRUE(c == '\n' || static_cast<unsigned char>(c) >= 0x20) << ended.err;
  }
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
        BadInput{"ab attention --set backend=own --with compile=inductor",
                 "compile has no effect here: Our own kernel is compiled already"},
        BadInput{"predict attention --set backend=own --set d_head=300 --gpu H200", "256"},
        BadInput{"predict attention --set backend=own --set window=9 --gpu H200", "own"},
        BadInput{"predict attention --set backend=own --gpu \"V100 SXM2 16 GB\"",
                 "compute capability 7.0"},
        BadInput{"bench", "Say what to time: kernels, attention, operators, tiles or stages"},
        BadInput{"bench stages --set device=cuda", "on the processor"},
        BadInput{"bench nonsense", "kernels"}, BadInput{"bench kernels --lengths 0", "lengths"},
        BadInput{"bench attention --set T=5", "bench attention does not use T=5"},
        BadInput{"bench tiles --set tile_q=32", "bench tiles does not use tile_q=32"},
        BadInput{"bench attention --out /proc/bench", "/proc/bench"},
        BadInput{"bench kernels --pairs 0", "pairs"}, BadInput{"bench kernels --set B=0", "B"},
        BadInput{"run attention --operators", "--json"},
        BadInput{"run --colour", "Try tensorscope run --help"},
        BadInput{"ab mlp --with heads=4", "heads has no effect here"},
        BadInput{"run attention --steps 1 --out /proc/nowhere", "/proc/nowhere cannot be made"},
        BadInput{"run attention --steps 1 --out /etc/passwd", "/etc/passwd cannot be made"},
        BadInput{"run attention --steps 1 --out ''", "--out is empty"},
        BadInput{"run ''", "WORKLOAD is empty"},
        BadInput{"run lm --preset ''", "--preset is empty"},
        BadInput{"predict lm --lang zh-CN", "--cluster"}, BadInput{"shot --out x.jpg", "x.jpg"},
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
        BadInput{"replay a.pickle --device -1", "device"}, BadInput{"''", "FILE is empty"},
        BadInput{"shot /dev/null --out a.png", "pipe or device"},
        BadInput{"shot ./ '' --out a.png", "FILE is empty"},
        BadInput{"shot ./ --out a.png", "holds neither a run"},
        BadInput{"/dev/zero", "pipe or device"},
        BadInput{"run attention --spec /dev/zero", "pipe or device"},
        BadInput{"run lm --set corpus=/dev/zero", "is no file"},
        BadInput{"replay /dev/zero", "pipe or device"},
        BadInput{"$(printf 'run \\033[31mred')", "\\x1B[31mred"},
        BadInput{"run $(head -c 100000 /dev/zero | tr '\\0' x)", " ... "}));

// Brackets that would take the stack of whoever copies what they mean.
std::string deep_json() {
  return std::string(200'000, '[') + std::string(200'000, ']');
}

TEST(BadInput, DeeplyNestedJsonIsRefused) {
  const testing::TemporaryFolder folder;
  const auto spec = folder.path() / "spec.json";
  std::ofstream(spec) << deep_json();
  const std::string pair = R"({"tensorscope_sweep": 1, "identity": )" + deep_json() +
                           R"(, "sweep": )" + deep_json() + "}\n";
  std::ofstream(folder.path() / "sweep.jsonl") << pair;
  std::filesystem::create_directory(folder.path() / "points");
  for (const char* name : {"a", "b"}) {
    std::ofstream(folder.path() / "points" / (std::string(name) + ".json")) << deep_json();
  }
  const std::string place = folder.path().string();
  for (const std::string& arguments :
       {"run attention --spec " + spec.string(), "sweep attention --resume --out " + place, place,
        "compare " + place + " a b"}) {
    const auto ended = testing::run_program(arguments);
    EXPECT_EQ(ended.code, 2) << ended.err;
    EXPECT_EQ(std::count(ended.err.begin(), ended.err.end(), '\n'), 1) << ended.err;
    EXPECT_NE(ended.err.find("nested more than"), std::string::npos) << ended.err;
  }
}

TEST(BadInput, PipesAreNotWaitedFor) {
  const testing::TemporaryFolder folder;
  const std::string pipe = (folder.path() / "pipe").string();
  ASSERT_EQ(::mkfifo(pipe.c_str(), 0600), 0);
  for (const std::string& arguments :
       {"run attention --spec " + pipe, "run lm --set corpus=" + pipe, "replay " + pipe, pipe}) {
    const auto ended = testing::run_program(arguments);
    EXPECT_EQ(ended.code, 2) << arguments << ended.err;
    EXPECT_NE(ended.err.find("pipe"), std::string::npos) << ended.err;
  }
}

// Each bad file is named; the window opens for the others.
TEST(BadInput, OneBadFileDoesNotKeepTheOthersShut) {
  const testing::TemporaryFolder folder;
  const std::string good = (folder.path() / "good.json").string();
  const std::string bad = (folder.path() / "bad.json").string();
  const std::string gone = (folder.path() / "gone.pickle").string();
  std::ofstream(good) << R"({"traceEvents": [{"ph": "X", "cat": "cpu_op", "name": "aten::mm",
                              "ts": 1, "dur": 2, "pid": 1, "tid": 1}]})";
  std::ofstream(bad) << "{";
  const auto all_bad = testing::run_program(bad + " " + gone, "env -u DISPLAY");
  EXPECT_EQ(all_bad.code, 2) << all_bad.err;
  const auto some = testing::run_program(bad + " " + good + " " + gone, "env -u DISPLAY");
  EXPECT_EQ(some.code, 1) << "it comes as far as the window: " << some.err;
  EXPECT_NE(some.err.find("no display"), std::string::npos) << some.err;
  for (const auto& ended : {all_bad, some}) {
    EXPECT_NE(ended.err.find(bad), std::string::npos) << ended.err;
    EXPECT_NE(ended.err.find(gone), std::string::npos) << ended.err;
  }
}

// Neither relative names nor LibTorch work there.
TEST(BadInput, DeletedCurrentFolderIsSaid) {
  const std::string gone = "d=$(mktemp -d) && cd $d && rmdir $d &&";
  for (const char* arguments :
       {"a.pickle", "shot ./a.pickle --out /dev/null", "predict attention --gpu H200", ""}) {
    const auto ended = testing::run_program(arguments, gone);
    EXPECT_EQ(ended.code, 2) << ended.err;
    EXPECT_EQ(ended.err, "tensorscope: The current folder was removed: change to another one\n");
  }
  EXPECT_EQ(testing::run_program("--version", gone).code, 0);
}

// Settings and caches are a user's, never the current folder's.
TEST(BadInput, WithoutHomeSaysWhatToSet) {
  const testing::TemporaryFolder folder;
  const std::string there =
      "cd " + folder.path().string() + " && env -u HOME -u XDG_CONFIG_HOME -u XDG_CACHE_HOME";
  for (const auto& [arguments, code] :
       {std::pair{"", 2}, {"run mlp --set compile=inductor --steps 1", 1}}) {
    const auto ended = testing::run_program(arguments, there);
    EXPECT_EQ(ended.code, code) << ended.err;
    EXPECT_NE((ended.err + ended.out).find("set HOME"), std::string::npos) << ended.err;
  }
  EXPECT_TRUE(std::filesystem::is_empty(folder.path()));
}

// Nothing is loaded from where a command is started.
TEST(BadInput, LibrariesOfTheCurrentFolderAreNotLoaded) {
  const testing::TemporaryFolder folder;
  for (const char* where : {"$", "."}) {
    std::filesystem::create_directories(folder.path() / where);
    for (const char* name : {"libcuda.so.1", "libtorch_cpu.so", "libtensorscope_kernels.so"}) {
      std::ofstream(folder.path() / where / name) << "planted";
    }
  }
  const auto ended = testing::run_program(
      "run attention --steps 1 --json",
      "cd " + folder.path().string() +
          " && env LD_DEBUG=libs LD_DEBUG_OUTPUT=" + (folder.path() / "log").string());
  EXPECT_EQ(ended.code, 0) << ended.err;
  bool traced = false;
  for (const auto& entry : std::filesystem::directory_iterator(folder.path())) {
    if (!entry.path().filename().string().starts_with("log.")) continue;
    traced = true;
    std::ifstream log(entry.path());
    for (std::string line; std::getline(log, line);) {
      const auto at = line.find("trying file=");
      if (at == std::string::npos) continue;
      EXPECT_EQ(line[at + std::string_view("trying file=").size()], '/') << line;
    }
  }
  EXPECT_TRUE(traced);
}

TEST(BadInput, AModelThatIsNone) {
  const testing::TemporaryFolder folder;
  const std::string config = (folder.path() / "config.json").string();
  const std::string exported = (folder.path() / "model.pt2").string();
  std::ofstream(config) << "{}";
  std::ofstream(exported) << "hello";
  for (const auto& [file, says] :
       {std::pair{config, "names no \"model_type\""}, {exported, "it is no ZIP archive"}}) {
    for (const char* const command : {"run", "predict", "hunt --axis B", "ab"}) {
      const auto ended = testing::run_program(std::string(command) + " --model " + file);
      EXPECT_EQ(ended.code, 2) << ended.err;
      EXPECT_EQ(std::count(ended.err.begin(), ended.err.end(), '\n'), 1) << ended.err;
      EXPECT_NE(ended.err.find(says), std::string::npos) << ended.err;
    }
  }
}

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
