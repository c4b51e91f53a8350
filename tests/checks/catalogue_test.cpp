// The list of the course's 35 checks.
#include "core/checks/catalogue.h"

#include <gtest/gtest.h>

#include <fstream>
#include <set>
#include <sstream>
#include <string>

#include "core/checks/run_checks.h"
#include "core/text/message.h"
#include "tests/spec/preset_spec.h"

namespace ts::checks {
namespace {

run::Run ended_run() {
  run::StartedUpdate started;
  started.id = 1;
  started.spec = spec::preset_spec(spec::WorkloadKind::lm, "tiny");
  run::Run run(started);
  run::SampleUpdate sample;
  sample.id = 1;
  sample.times.total_ns = 1'000'000;
  run.apply(sample);
  run.finished = true;
  return run;
}

TEST(CheckCatalogue, HasAllOfTheCourse) {
  ASSERT_EQ(catalogue().size(), 35U);
  int number = 0;
  for (const Check& one : catalogue()) {
    EXPECT_EQ(one.id, "C-" + std::to_string(++number));
    EXPECT_FALSE(one.answered_by().empty()) << one.id;
    const bool of_run = one.answered_by().front() == Source::run;
    EXPECT_TRUE(of_run || *one.unanswered != '\0') << one.id << " needs a reason";
  }
}

TEST(CheckCatalogue, ThePageListsIt) {
  std::ifstream file(TENSORSCOPE_LESSONS_PAGE);
  std::stringstream page;
  page << file.rdbuf();
  for (const Check& one : catalogue()) {
    std::string sources;
    for (const Source source : one.answered_by())
      sources += (sources.empty() ? "" : ", ") + std::string(to_string(source));
    const std::string reason =
        *one.unanswered == '\0' ? "" : text::message(one.unanswered).sentence;
    const std::string line = "| " + std::string(one.id) + " " +
                             text::message("check.title." + std::string(one.id)).sentence + " | " +
                             sources + " | " + reason + " |";
    EXPECT_NE(page.str().find(line), std::string::npos) << "docs/lessons.md lacks\n" << line;
  }
}

TEST(CheckCatalogue, ARunTellsAllOrSaysWhyNot) {
  base::StringTable strings;
  run::Run run = ended_run();
  const auto all = of_run(run, strings);
  std::set<std::string> ids;
  int last = 0;
  for (const report::CheckResult& one : all) {
    const int number = std::stoi(std::string(one.id).substr(2));
    EXPECT_GE(number, last);
    last = number;
    ids.insert(one.id);
    EXPECT_FALSE(one.found.sentence.empty()) << one.id;
  }
  EXPECT_EQ(ids.size(), 35U);
  // None of them passes without evidence.
  for (const report::CheckResult& one : all) {
    for (const Check& check : catalogue()) {
      if (std::string(check.id) != one.id || check.answered_by().front() == Source::run) continue;
      EXPECT_EQ(one.state, report::CheckState::unknown) << one.id;
    }
  }
  run.finished = false;
  EXPECT_TRUE(of_run(run, strings).empty());
}

}  // namespace
}  // namespace ts::checks
