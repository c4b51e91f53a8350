// The range of a trace at first: its steps, of many the last ones, and all where there are none.
#include "core/files/step_range.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "core/files/opened_trace.h"
#include "core/trace_file/trace_read.h"

namespace ts::files {
namespace {

struct Made {
  std::string name;
  int begin_us, length_us;
};

// The range at first, in microseconds since the first event.
base::TimeRange range_of(const std::vector<Made>& made) {
  std::string events;
  for (const Made& one : made) {
    events += (events.empty() ? "" : ",\n") +
              std::string(R"({"ph": "X", "pid": 1, "tid": 2, "cat": ")") +
              (one.name.starts_with("aten") ? "cpu_op" : "user_annotation") + R"(", "name": ")" +
              one.name + R"(", "ts": )" + std::to_string(1000 + one.begin_us) + R"(, "dur": )" +
              std::to_string(one.length_us) + "}";
  }
  auto file = trace_file::parse_trace(R"({"traceEvents": [)" + events + "]}");
  EXPECT_TRUE(file) << file.error().sentence;
  auto opened = open_trace(std::move(*file), 5);
  EXPECT_TRUE(opened) << opened.error().sentence;
  const base::TimeRange range = step_range(opened->run);
  return {range.begin / 1000, range.end / 1000};
}

std::vector<Made> steps(int count, int begin_us, int length_us) {
  std::vector<Made> made;
  for (int i = 0; i < count; ++i)
    made.push_back({"ProfilerStep#" + std::to_string(i), begin_us + i * length_us, length_us});
  return made;
}

TEST(StepRange, SetUpIsLeftOutAndHalfAStepAtTheEndIsNot) {
  std::vector<Made> made = steps(3, 10'000, 100);
  made.push_back({"aten::load", 0, 9'000});
  made.push_back({"aten::last", 10'300, 50});
  EXPECT_EQ(range_of(made), (base::TimeRange{9'993, 10'350}));
}

TEST(StepRange, OfManyStepsTheLastOnesAreShown) {
  EXPECT_EQ(range_of(steps(100, 0, 1000)), (base::TimeRange{94'900, 100'000}));
}

TEST(StepRange, WorkAfterTheStepsIsLeftOut) {
  std::vector<Made> made = steps(2, 0, 100);
  made.push_back({"aten::save", 200, 5'000});
  EXPECT_EQ(range_of(made), (base::TimeRange{0, 204}));
}

TEST(StepRange, AStepOfSeveralRanksIsOne) {
  std::vector<Made> made = steps(4, 10'000, 100);
  for (const Made& one : steps(4, 10'030, 100)) made.push_back(one);
  made.push_back({"aten::load", 0, 9'000});
  EXPECT_EQ(range_of(made), (base::TimeRange{9'991, 10'430}));
}

// So many steps of 100 us with these phases, one after another.
std::vector<Made> phases(int count, int begin_us, const std::vector<std::string>& names) {
  const int each = 100 / static_cast<int>(names.size());
  std::vector<Made> made;
  for (int i = 0; i < count; ++i) {
    for (int p = 0; p < static_cast<int>(names.size()); ++p)
      made.push_back({"## " + names[p] + " ##", begin_us + i * 100 + p * each, each - 5});
  }
  return made;
}

TEST(StepRange, WithoutNamedStepsEachEndsWithItsOptimizer) {
  // Two parts of a batch in each step; the last five of twenty are shown.
  const std::vector<std::string> names = {"forward", "backward", "forward", "backward",
                                          "optimizer"};
  EXPECT_EQ(range_of(phases(20, 10'000, names)), (base::TimeRange{1'490, 1'995}));
}

TEST(StepRange, WithoutAnOptimizerEachEndsWithItsBackward) {
  EXPECT_EQ(range_of(phases(20, 10'000, {"forward", "forward", "loss", "backward"})),
            (base::TimeRange{1'490, 1'995}));
}

TEST(StepRange, OfForwardsAloneEachIsAStep) {
  EXPECT_EQ(range_of(phases(20, 10'000, {"forward"})), (base::TimeRange{1'490, 1'995}));
}

TEST(StepRange, NamedStepsCountBeforePhases) {
  std::vector<Made> made = steps(10, 10'000, 300);
  for (const Made& one : phases(30, 10'000, {"forward", "optimizer"})) made.push_back(one);
  EXPECT_EQ(range_of(made), (base::TimeRange{1'470, 3'000}));
}

TEST(StepRange, AllIsShownWithoutStepsOrWithHardlyMoreThanThem) {
  EXPECT_TRUE(range_of({{"aten::mm", 0, 10}, {"aten::add", 20, 10}}).empty());
  std::vector<Made> made = steps(4, 20, 100);
  made.push_back({"aten::load", 0, 15});
  EXPECT_TRUE(range_of(made).empty());
}

}  // namespace
}  // namespace ts::files
