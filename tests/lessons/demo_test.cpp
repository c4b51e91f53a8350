// The demos of a lecture, and every kind of mistake in their list.
#include "core/lessons/demo.h"

#include <gtest/gtest.h>

#include <set>

#include "tests/lessons/example.h"

namespace ts::lessons {
namespace {

TEST(Demos, EveryDigitHasOneInAllLanguages) {
  const auto demos = read_demos(assets::demos(), testing::gpus());
  ASSERT_TRUE(demos) << demos.error().sentence;
  EXPECT_EQ(demos->size(), kMostDemos);
  std::set<StepKind> kinds;
  for (const Demo& demo : *demos) {
    for (const Words* const words : {&demo.title, &demo.question, &demo.task, &demo.answer})
      EXPECT_TRUE(words->complete()) << demo.id;
    kinds.insert(demo.plan.kind);
  }
  EXPECT_EQ(kinds.size(), 5U) << "every kind of step is shown once at least";
}

// A list of one demo with `plan`, and `more` after it.
std::string list_of(const std::string& plan, const std::string& more = "") {
  return R"({"demos": [{"id": "a", "title": "t", "question": "q", "task": "t", "answer": "a")" +
         (plan.empty() ? "" : ", \"plan\": " + plan) + "}" + more + "]}";
}
std::string said_of(const std::string& json) {
  const auto demos = read_demos(json, testing::gpus());
  return demos ? std::string() : demos.error().sentence;
}

TEST(Demos, WhatIsWrongIsNamed) {
  const std::string run = R"({"kind": "run", "workload": "mlp"})";
  EXPECT_EQ(said_of(list_of(run)), "");
  EXPECT_NE(said_of("nonsense").find("The list of demos"), std::string::npos);
  EXPECT_NE(said_of(list_of("")).find("\"plan\" is missing"), std::string::npos);
  EXPECT_NE(said_of(list_of(R"({"kind": "dance", "workload": "mlp"})")).find("no kind \"dance\""),
            std::string::npos);
  EXPECT_NE(said_of(list_of(R"({"kind": "run", "workload": "mlp", "set": ["B=-1"]})")), "");
  const std::string again =
      R"(, {"id": "a", "title": "t", "question": "q", "task": "t", "answer": "a", "plan": )" + run +
      "}";
  EXPECT_NE(said_of(list_of(run, again)).find("two with this id"), std::string::npos);
  std::string more;
  for (int i = 0; i < 10; ++i) {
    std::string one = again;
    one.replace(one.find("\"a\""), 3, "\"b" + std::to_string(i) + "\"");
    more += one;
  }
  EXPECT_NE(said_of(list_of(run, more)).find("more than ten"), std::string::npos);
}

// The forms of the pages have one setting for the curves, and one for B.
TEST(Demos, HaveWhatThePagesCanShow) {
  const auto sweep = [](const char* series) {
    return list_of(
        R"({"kind": "sweep", "workload": "attention", "axes": ["T=64,128"], "series": [)" +
        std::string(series) + "]}");
  };
  EXPECT_EQ(said_of(sweep(R"("backend=naive,flash")")), "");
  EXPECT_NE(said_of(sweep(R"("backend=naive,flash", "dtype=fp32,bf16")")).find("at most one"),
            std::string::npos);
  const auto ab = [](const char* with) {
    return list_of(R"({"kind": "ab", "workload": "attention", "with": [)" + std::string(with) +
                   "]}");
  };
  EXPECT_EQ(said_of(ab(R"("backend=flash")")), "");
  EXPECT_NE(said_of(ab(R"("backend=flash", "dtype=bf16")")).find("differs in one setting"),
            std::string::npos);
}

}  // namespace
}  // namespace ts::lessons
