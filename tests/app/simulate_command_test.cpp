// `tensorscope simulate` and `tensorscope loader`: lists, columns, traces that the program opens,
// data sets, and wrong input.
#include <gtest/gtest.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <string>

#include "tests/app/program.h"

namespace ts::app::testing {
namespace {

TEST(SimulateCommand, ListsAllAndShowsAColumnForEachNumber) {
  const Ended list = run_program("simulate");
  EXPECT_EQ(list.code, 0) << list.err;
  EXPECT_NE(list.out.find("data_parallel  Data-parallel"), std::string::npos) << list.out;
  const Ended table = run_program("simulate pipeline --over micro_batches=4,8");
  EXPECT_EQ(table.code, 0) << table.err;
  EXPECT_NE(table.out.find("| micro_batches = 4 | micro_batches = 8 |"), std::string::npos);
  EXPECT_NE(table.out.find("| 42.9 % | 27.3 % |"), std::string::npos) << table.out;
  EXPECT_NE(table.out.find("Simulated from stated constants"), std::string::npos);
  const auto json = document_of(run_program("simulate loader --format json --over workers=1,4"));
  EXPECT_EQ(json["simulated"], true);
  EXPECT_EQ(json["points"][1]["at"], "4");
  EXPECT_NEAR(json["points"][1]["figures"]["period"].get<double>(), 0.02, 1e-9);
}

TEST(SimulateCommand, WritesATraceThatTheProgramReads) {
  const TemporaryFolder folder;
  const auto file = folder.path() / "step.json";
  const Ended made = run_program("simulate data_parallel ranks=16 --trace " + file.string());
  EXPECT_EQ(made.code, 0) << made.err;
  const auto summary = document_of(run_program("summary --json " + file.string()));
  EXPECT_EQ(summary["kind"], "trace");
  const auto trace = nlohmann::json::parse(read(file), nullptr, false);
  ASSERT_FALSE(trace.is_discarded());
  EXPECT_EQ(trace["otherData"]["simulated"], true);
  const auto backwards =
      std::ranges::count_if(trace["traceEvents"], [](const nlohmann::json& event) {
        return event.value("name", "") == "backward" && event["ph"] == "X";
      });
  EXPECT_EQ(backwards, 8) << "of the first ranks";
}

TEST(SimulateCommand, WrongInputIsOneSentence) {
  for (const char* const arguments :
       {"simulate nothing", "simulate loader workers", "simulate loader workers=0",
        "simulate loader racks=4", "simulate loader --over workers",
        "simulate loader --over workers=1,,2", "simulate loader --over racks=1",
        "simulate loader --format pdf", "simulate loader --lang xx"}) {
    const Ended ended = run_program(arguments);
    EXPECT_EQ(ended.code, 2) << arguments;
    EXPECT_EQ(ended.out, "") << arguments;
    EXPECT_EQ(std::ranges::count(ended.err, '\n'), 1) << ended.err;
  }
  EXPECT_EQ(run_program("simulate loader --trace /proc/no/such.json").code, 1);
}

TEST(LoaderCommand, LoadsSaysWhatLimitsAndWritesATrace) {
  const TemporaryFolder folder;
  const std::string out = (folder.path() / "out").string();
  const std::string small = "samples=20 image_width=48 image_height=32 side=16 batch=4 batches=6 ";
  const auto json = document_of(run_program(
      "loader images " + small + "step_ms=5 broken=2 --over workers=0,2 --json --out " + out));
  EXPECT_EQ(json["simulated"], false);
  ASSERT_EQ(json["points"].size(), 2U);
  for (const auto& point : json["points"]) {
    EXPECT_GE(point["figures"]["period"].get<double>(), 0.005);
    EXPECT_EQ(point["figures"]["left_out"], 2);
    EXPECT_EQ(point["faults"].size(), 2U);
    EXPECT_NE(point["verdict"][0].get<std::string>().find("bottleneck"), std::string::npos);
  }
  const auto trace = nlohmann::json::parse(read(folder.path() / "out" / "trace.json"));
  EXPECT_EQ(trace["otherData"]["loader"], "measured");
  const auto steps = std::ranges::count_if(trace["traceEvents"], [](const nlohmann::json& event) {
    return event["ph"] == "X" && event.value("name", "").starts_with("batch ");
  });
  EXPECT_EQ(steps, 6);
  EXPECT_EQ(nlohmann::json::parse(read(folder.path() / "out" / "loading.json")), json);
  const auto summary = document_of(run_program("summary --json " + out + "/trace.json"));
  EXPECT_EQ(summary["kind"], "trace");
}

TEST(LoaderCommand, KeepsADataSetThatItMakesAndLoadsIt) {
  const TemporaryFolder folder;
  const std::string set = (folder.path() / "set").string();
  const std::string few = "samples=30 batch=4 batches=4 step_ms=0 ";
  const Ended made =
      run_program("loader tokens " + few + "sharded=1 shard_samples=8 --make " + set);
  EXPECT_EQ(made.code, 0) << made.err;
  const Ended again =
      run_program("loader tokens " + few + "packed=1 --data " + set + " --lang zh-CN");
  EXPECT_EQ(again.code, 0) << again.err;
  EXPECT_NE(again.out.find("\xe5\xa1\xab\xe5\x85\x85"), std::string::npos) << "padding, in Chinese";
  EXPECT_EQ(run_program("loader tokens --make " + set).code, 2) << "it is not empty";
  EXPECT_EQ(run_program("loader images --data " + set).code, 2) << "it has no images";
}

TEST(LoaderCommand, StepsOfAWorkloadAreRealSteps) {
  const TemporaryFolder cache;
  const auto json = document_of(
      run_program("loader tokens samples=30 batch=4 batches=4 --step mlp --preset w7 --json",
                  "XDG_CACHE_HOME=" + cache.path().string()));
  EXPECT_GT(json["points"][0]["figures"]["step_time"].get<double>(), 0);
  EXPECT_FALSE(std::filesystem::exists(cache.path() / "tensorscope" / "compiled"))
      << "nobody asked for a compiled step";
  EXPECT_EQ(run_program("loader tokens --step nothing").code, 2);
}

TEST(LoaderCommand, WrongInputIsOneSentence) {
  EXPECT_NE(run_program("loader").out.find("images"), std::string::npos) << "they are listed";
  for (const char* const arguments :
       {"loader nothing", "loader images workers", "loader images workers=65",
        "loader images packed=1", "loader tokens side=3", "loader images --over workers",
        "loader images --data /no/such/folder", "loader images --make /a --data /b",
        "loader images --format pdf", "loader images --lang xx"}) {
    const Ended ended = run_program(arguments);
    EXPECT_EQ(ended.code, 2) << arguments;
    EXPECT_EQ(ended.out, "") << arguments;
    EXPECT_EQ(std::ranges::count(ended.err, '\n'), 1) << ended.err;
  }
}

}  // namespace
}  // namespace ts::app::testing
