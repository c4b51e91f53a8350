// `tensorscope simulate`: the list, columns, the trace that the program opens, and wrong input.
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

}  // namespace
}  // namespace ts::app::testing
