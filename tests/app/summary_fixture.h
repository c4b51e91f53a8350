// A folder with a run, for what the program makes of files.
#pragma once

#include <gtest/gtest.h>

#include <cstdint>
#include <fstream>
#include <nlohmann/json.hpp>
#include <string>

#include "tests/app/program.h"

namespace ts::app {

class SummaryCommand : public ::testing::Test {
 protected:
  static void SetUpTestSuite() {
    folder_ = new testing::TemporaryFolder;
    const auto ended =
        testing::run_program("run lm --preset tiny --steps 3 --out " + folder_->path().string());
    ASSERT_EQ(ended.code, 0) << ended.err;
  }
  static void TearDownTestSuite() {
    delete folder_;
    folder_ = nullptr;
  }
  static std::string file(const char* name) { return (folder_->path() / name).string(); }
  static void write(const char* name, const std::string& bytes) {
    std::ofstream(file(name), std::ios::binary) << bytes;
  }
  static nlohmann::json summary(const std::string& path, const std::string& warning = "") {
    const auto ended = testing::run_program("summary --json " + path);
    EXPECT_EQ(ended.code, 0) << ended.err;
    if (warning.empty()) {
      EXPECT_EQ(ended.err, "");
    } else {
      EXPECT_NE(ended.err.find(warning), std::string::npos) << ended.err;
    }
    return nlohmann::json::parse(ended.out);
  }
  static void refused(const std::string& arguments, const std::string& words) {
    const auto ended = testing::run_program(arguments);
    EXPECT_EQ(ended.code, 2) << arguments;
    EXPECT_EQ(ended.out, "");
    EXPECT_NE(ended.err.find(words), std::string::npos) << ended.err;
  }

  inline static testing::TemporaryFolder* folder_ = nullptr;
};

inline constexpr const char* kTrace =
    R"({"traceEvents": [{"ph": "X", "cat": "kernel", "name": "gemm", "pid": 0,
  "tid": 7, "ts": 1, "dur": 2.5}, {"ph": "X", "cat": "cpu_op", "name": "aten::mm", "ts": 0, "dur": 4}]})";

// Two lines of a program; from step to step the second keeps one more block.
inline std::string leaking(int steps) {
  nlohmann::json trace = nlohmann::json::array();
  nlohmann::json annotations = nlohmann::json::array();
  std::int64_t time = 100;
  const auto add = [&](const char* action, std::int64_t address, std::int64_t size,
                       const char* function) {
    trace.push_back(
        {{"action", action},
         {"addr", address},
         {"size", size},
         {"time_us", ++time},
         {"frames", {{{"name", function}, {"filename", "/data/train.py"}, {"line", 4}}}}});
  };
  add("alloc", 0x10000, 4 << 20, "build");
  for (int step = 0; step < steps; ++step) {
    const auto mark = [&](const char* stage) {
      annotations.push_back({{"name", "ProfilerStep#" + std::to_string(step)},
                             {"stage", stage},
                             {"device", 0},
                             {"time_us", ++time}});
    };
    mark("START");
    add("alloc", 0x900000, 1 << 20, "forward");
    add("alloc", 0x20000 + step * 0x1000, 700, "keep_loss");
    add("free_completed", 0x900000, 1 << 20, "forward");
    mark("END");
  }
  return nlohmann::json{{"segments", nlohmann::json::array()},
                        {"device_traces", {trace}},
                        {"external_annotations", annotations}}
      .dump();
}

}  // namespace ts::app
