// A folder with a run, for what the program makes of files.
#pragma once

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <string>

#include "tests/app/program.h"
#include "tests/snapshot/leaking_snapshot.h"

namespace ts::app {

using snapshot::testing::leaking;

class FolderOfARun : public ::testing::Test {
 protected:
  static void SetUpTestSuite() {
    static const testing::TemporaryFolder run;  // for all suites
    static const testing::Ended ended =
        testing::run_program("run lm --preset tiny --steps 3 --out " + run.path().string());
    folder_ = new testing::TemporaryFolder;
    ASSERT_EQ(ended.code, 0) << ended.err;
    std::filesystem::copy(run.path(), folder_->path(), std::filesystem::copy_options::recursive);
  }
  static void TearDownTestSuite() {
    delete folder_;
    folder_ = nullptr;
  }
  static std::string file(const char* name) { return (folder_->path() / name).string(); }
  static void write(const char* name, const std::string& bytes) {
    std::ofstream(file(name), std::ios::binary) << bytes;
  }

  inline static testing::TemporaryFolder* folder_ = nullptr;
};

class SummaryCommand : public FolderOfARun {
 protected:
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
};

inline constexpr const char* kTrace =
    R"({"traceEvents": [{"ph": "X", "cat": "kernel", "name": "gemm", "pid": 0,
  "tid": 7, "ts": 1, "dur": 2.5}, {"ph": "X", "cat": "cpu_op", "name": "aten::mm", "ts": 0, "dur": 4}]})";

}  // namespace ts::app
