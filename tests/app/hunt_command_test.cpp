// The hunt as a user types it, with the real dry run.
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <nlohmann/json.hpp>

#include "tests/app/program.h"

namespace ts::app {
namespace {

TEST(HuntCommand, TheEdgeIsWherePredictChangesItsMind) {
  const std::string spec = " lm --preset small --set backend=math --set dtype=bf16 ";
  const auto ended = testing::run_program("hunt" + spec + "--axis T --gpu 'RTX 4090' --json");
  ASSERT_EQ(ended.code, 0) << ended.err;
  const auto json = testing::document_of(ended);
  const auto edge = json["every_up_to"].get<std::int64_t>();
  EXPECT_EQ(json["smallest_oom"], edge + 1);
  EXPECT_GT(edge, 256);
  EXPECT_GT(json["probes"].size(), 5U);
  // Above the edge larger ones fit after a flush: the largest is the last of them.
  ASSERT_FALSE(json["fits_again"].empty());
  EXPECT_FALSE(json["sampled"]);
  const auto largest = json["largest_that_fits"].get<std::int64_t>();
  EXPECT_EQ(json["fits_again"].back()[1], largest);
  EXPECT_GT(json["fits_again"].front()[0], edge + 1);
  EXPECT_NE(json["sentence"].get<std::string>().find("not every smaller one"), std::string::npos);
  for (const auto& [value, verdict] :
       {std::pair{edge, false}, {edge + 1, true}, {largest, false}, {largest + 1, true}}) {
    const auto asked = testing::run_program(
        "predict" + spec + "--gpu 'RTX 4090' --json --set T=" + std::to_string(value));
    EXPECT_EQ(testing::document_of(asked)["breaking"].is_null(), !verdict) << value;
  }
}

TEST(HuntCommand, ARankOfDataParallelNeedsItsBucketsOnTop) {
  const std::string spec = " lm --preset tiny --gpu 'RTX 4090' --json";
  const auto one = testing::document_of(testing::run_program("predict" + spec));
  const auto rank = testing::document_of(testing::run_program("predict --data-parallel" + spec));
  std::int64_t buckets = 0;
  for (const auto& bytes : rank["data_parallel"]["buckets"]) buckets += bytes.get<std::int64_t>();
  EXPECT_EQ(buckets, one["parameters"].get<std::int64_t>() * 4);
  EXPECT_FALSE(one.contains("data_parallel"));
  EXPECT_GT(rank["peak_requested"], one["peak_requested"]);
  EXPECT_LE(rank["peak_requested"], one["peak_requested"].get<std::int64_t>() + buckets);
  const auto edge = [&](const char* option) {
    return testing::document_of(testing::run_program(
        std::string("hunt") + option +
        " lm --preset small --axis T --gpu 'RTX 3060' --json"))["every_up_to"]
        .get<std::int64_t>();
  };
  EXPECT_LT(edge(" --data-parallel"), edge(""));
  for (const char* wrong :
       {"predict --data-parallel lm --set pass=forward", "predict --data-parallel lm --out x",
        "hunt --data-parallel --confirm --cpu lm --axis B"}) {
    const auto ended = testing::run_program(wrong);
    EXPECT_EQ(ended.code, 2) << wrong;
    EXPECT_EQ(std::count(ended.err.begin(), ended.err.end(), '\n'), 1) << ended.err;
  }
}

TEST(HuntCommand, AMapHasItsCellsAndFrontier) {
  const auto ended = testing::run_program(
      "hunt attention --axis T=256:16384 --axis B=1:64 --gpu 'RTX 4090' --json");
  ASSERT_EQ(ended.code, 0) << ended.err;
  const auto json = testing::document_of(ended);
  EXPECT_EQ(json["cells"].size(), json["axes"]["T"].size() * json["axes"]["B"].size());
  EXPECT_LT(json["probes"].size(), json["cells"].size() / 2);
  std::int64_t last = INT64_MAX;
  for (const auto& row : json["frontier"]) {
    const std::int64_t edge = row["largest_T"].is_null() ? 0 : row["largest_T"].get<std::int64_t>();
    EXPECT_LE(edge, last) << "a larger batch never fits a longer sequence";
    last = edge;
  }
}

TEST(HuntCommand, WhatAMapInfersIsWhatEveryCellSays) {
  const std::string map =
      "hunt lm --preset tiny --axis T=64:4096 --axis B=1:64 --gpu 'RTX 3060' --json";
  const auto json = testing::document_of(testing::run_program(map));
  const auto every = testing::document_of(testing::run_program(map + " --every-cell"));
  ASSERT_EQ(json["cells"].size(), every["cells"].size());
  for (std::size_t i = 0; i < every["cells"].size(); ++i) {
    const auto &one = json["cells"][i], &exact = every["cells"][i];
    ASSERT_EQ(one["at"], exact["at"]);
    EXPECT_EQ(one["verdict"], exact["verdict"]) << one.dump();
    EXPECT_FALSE(exact["inferred"].get<bool>());
    const auto& least = one["inferred"].get<bool>() ? one["needed_at_least"] : one["needed"];
    EXPECT_LE(least.get<std::int64_t>(), exact["needed"].get<std::int64_t>()) << one.dump();
  }
}

TEST(HuntCommand, ConfirmsTheEdgeOnTheCpuInFreshProcesses) {
  const auto ended = testing::run_program(
      "hunt attention --set memory_limit=32MiB --set B=1 --set heads=2 --axis T=16:2048 --cpu "
      "--confirm --json");
  ASSERT_EQ(ended.code, 0) << ended.err;
  const auto confirmed = testing::document_of(ended)["confirmed"];
  ASSERT_EQ(confirmed.size(), 2U);
  EXPECT_EQ(confirmed[0]["verdict"], "ok");
  EXPECT_EQ(confirmed[1]["verdict"], "oom");
  EXPECT_TRUE(confirmed[0]["agrees"].get<bool>() && confirmed[1]["agrees"].get<bool>());
}

// Somebody else may write into the temporary folder, or there is none: nothing is written there.
TEST(HuntCommand, ConfirmsWithoutATemporaryFile) {
  const testing::TemporaryFolder folder;
  const auto victim = folder.path() / "victim";
  std::ofstream(victim) << "precious";
  const std::string temporary = (folder.path() / "shared").string();
  std::filesystem::create_directory(temporary);
  const std::string hunt =
      "hunt attention --set memory_limit=8MiB --set B=1 --set heads=1 --axis T=16:1024 --cpu "
      "--confirm --json";
  // The shell's number is the program's: what an earlier version wrote to.
  const std::string planted = "ln -s " + victim.string() + " " + temporary +
                              "/tensorscope-confirm-$$.json; TMPDIR=" + temporary + " exec";
  for (const std::string& environment : {planted, std::string("TMPDIR=/nonexistent")}) {
    const auto ended = testing::run_program(hunt, environment);
    ASSERT_EQ(ended.code, 0) << ended.err;
    EXPECT_EQ(testing::document_of(ended)["confirmed"].size(), 2U);
  }
  EXPECT_EQ(testing::read(victim), "precious");
  const auto left = std::distance(std::filesystem::directory_iterator(temporary), {});
  EXPECT_EQ(left, 1) << "the link alone";
}

TEST(HuntCommand, ConfirmsTheFrontierOfAMap) {
  const auto ended = testing::run_program(
      "hunt attention --set memory_limit=2MiB --set heads=2 --set d_head=16 --axis T=64:512 "
      "--axis B=1:2 --cpu --confirm --json");
  ASSERT_EQ(ended.code, 0) << ended.err;
  const auto cells = testing::document_of(ended)["cells"];
  int runs = 0, ooms = 0;
  for (const auto& cell : cells) {
    if (!cell.contains("run")) continue;
    ++runs;
    ooms += cell["run"]["fits"].get<bool>() ? 0 : 1;
    EXPECT_TRUE(cell["run"]["as_predicted"].get<bool>()) << cell.dump();
  }
  EXPECT_EQ(runs, 4);
  EXPECT_EQ(ooms, 2);
}

TEST(HuntCommand, NeverAndAlwaysAreAnswers) {
  const auto never = testing::run_program("hunt lm --preset 2.7B --axis B --gpu 'RTX 4090' --json");
  EXPECT_EQ(never.code, 0) << never.err;
  EXPECT_TRUE(testing::document_of(never)["largest_that_fits"].is_null());
  EXPECT_NE(testing::document_of(never)["sentence"].get<std::string>().find("never fits"),
            std::string::npos);
  const auto always = testing::run_program("hunt attention --axis T=16:64 --gpu H200");
  EXPECT_EQ(always.code, 0) << always.err;
  EXPECT_NE(always.out.find("Every T up to 64 fits"), std::string::npos) << always.out;
}

TEST(HuntCommand, OnlyTheChosenPartsAreWritten) {
  const testing::TemporaryFolder folder;
  const auto out = folder.path() / "hunt";
  const auto there = [&](const char* name) { return std::filesystem::exists(out / name); };
  const std::string hunt =
      "hunt attention --axis T=256:1024 --axis B=1:4 --gpu 'RTX 4060' --out " + out.string();
  ASSERT_EQ(testing::run_program(hunt + " --parts tables,report").code, 0);
  EXPECT_TRUE(there("hunt.json") && there("hunt.csv") && there("report.html") &&
              there("spec.json"));
  EXPECT_FALSE(there("hunt.png"));
  const std::string report = testing::read(out / "report.md");
  EXPECT_NE(report.find("tensorscope hunt --spec ./spec.json --axis T=256:1024 --axis B=1:4"),
            std::string::npos)
      << report;
  EXPECT_NE(report.find("GiB needed; * tight"), std::string::npos) << report;
  EXPECT_EQ(report.find("T = "), std::string::npos) << "along which it looked\n" << report;
  EXPECT_NE(report.find("hunt.csv"), std::string::npos) << report;
  ASSERT_EQ(testing::run_program(hunt + " --parts none").code, 0);
  EXPECT_TRUE(there("hunt.json"));
  EXPECT_FALSE(there("hunt.csv") || there("report.md")) << "what this one lacks is gone";
  const auto wrong = testing::run_program(hunt + " --parts snapshot");
  EXPECT_EQ(wrong.code, 2);
  EXPECT_NE(wrong.err.find("there are tables,pictures,report, or none"), std::string::npos)
      << wrong.err;
}

TEST(HuntCommand, BadInputIsOneSentenceAndCodeTwo) {
  for (const char* arguments :
       {"hunt attention", "hunt attention --axis seed", "hunt attention --axis T=9:3",
        "hunt attention --axis layers", "hunt attention --axis T --axis T",
        "hunt attention --axis T --gpu nonsense", "hunt attention --axis T --cpu --gpu H200",
        "hunt attention --axis T --confirm", "hunt attention --axis T --every-cell",
        "hunt nothing --axis T"}) {
    const auto ended = testing::run_program(arguments);
    EXPECT_EQ(ended.code, 2) << arguments;
    EXPECT_EQ(std::count(ended.err.begin(), ended.err.end(), '\n'), 1) << ended.err;
  }
}

}  // namespace
}  // namespace ts::app
