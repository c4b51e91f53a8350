// Lessons as a user types them, with the real engine.
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>

#include "tests/app/program.h"

namespace ts::app {
namespace {

using testing::TemporaryFolder;
namespace fs = std::filesystem;

TEST(LessonCommand, TheCheapestLessonLeavesItsWholeFolder) {
  const TemporaryFolder folder;
  const std::string out = (folder.path() / "homework").string();
  const auto ended = testing::run_program("lesson run sums --guess 4 --json --out " + out);
  ASSERT_EQ(ended.code, 0) << ended.err;
  EXPECT_NE(ended.err.find("1 of 1"), std::string::npos) << "progress is told";
  const auto json = testing::document_of(ended);
  EXPECT_TRUE(json["complete"].get<bool>());
  EXPECT_TRUE(json["guess_right"].get<bool>());
  EXPECT_EQ(json["answer"]["nature"], "measured");
  // The recomputed sums come out exactly.
  const auto words = [&](const char* id) {
    for (const auto& value : json["values"]) {
      if (value["id"] == id) return value["measured"]["words"].get<std::string>();
    }
    return std::string();
  };
  EXPECT_EQ(words("fp32"), "10.0001");
  EXPECT_EQ(words("fp16"), "9.9531");
  EXPECT_EQ(words("mixed"), "10.0021");
  EXPECT_EQ(words("upcast"), "10.0021");
  EXPECT_EQ(words("bf16"), "4.0000");
  for (const auto& check : json["checks"]) EXPECT_EQ(check["state"], "passed") << check;

  for (const char* const name :
       {"figure-numbers.svg", "figure-numbers.png", "report.md", "report.html", "report.tex",
        "values.csv", "values.tex", "checks.csv", "commands.csv", "lesson.json",
        "step-sums/spec.json", "step-sums/run.json", "step-sums/snapshot.pickle",
        "step-sums/curves.csv", "step-sums/curves.svg", "step-sums/curves.png",
        "step-sums/checks.csv", "step-sums/checks.md"}) {
    EXPECT_TRUE(fs::exists(fs::path(out) / name)) << name;
  }
  const std::string page = testing::read(fs::path(out) / "report.html");
  EXPECT_EQ(page.find("<script"), std::string::npos);
  EXPECT_EQ(page.find("http"), std::string::npos);
  EXPECT_NE(page.find("src=\"step-sums/curves.svg\""), std::string::npos);
  EXPECT_NE(page.find("10.0021"), std::string::npos);
  const std::string tex = testing::read(fs::path(out) / "report.tex");
  EXPECT_NE(tex.find("\\includegraphics[width=\\linewidth]{step-sums/curves.png}"),
            std::string::npos);
  // The settings that are written give the same numbers again.
  const auto again = testing::document_of(
      testing::run_program("run --json --steps 2 --spec " + out + "/step-sums/spec.json"));
  const auto first = nlohmann::json::parse(testing::read(fs::path(out) / "step-sums/run.json"));
  EXPECT_EQ(again["results"], first["results"]);
}

// Calculators and simulations: their tables, the trace, the curve, and the command of each number.
TEST(LessonCommand, SimulatedNumbersHaveTheirColumnAndFiles) {
  const TemporaryFolder folder;
  const std::string out = (folder.path() / "homework").string();
  const auto ended =
      testing::run_program("lesson run pipeline-bubble --guess 27 --json --out " + out);
  ASSERT_EQ(ended.code, 0) << ended.err;
  const auto json = testing::document_of(ended);
  EXPECT_TRUE(json["complete"].get<bool>());
  EXPECT_TRUE(json["guess_right"].get<bool>());
  EXPECT_EQ(json["answer"]["nature"], "simulated");
  for (const auto& check : json["checks"]) EXPECT_EQ(check["state"], "passed") << check;
  for (const auto& value : json["values"]) {
    EXPECT_TRUE(value["measured"].is_null() && value["predicted"].is_null()) << value;
    if (value["id"] != "b8") continue;
    EXPECT_NEAR(value["simulated"]["value"].get<double>(), 300.0 / 11, 1e-9);
    EXPECT_NEAR(value["theory"]["value"].get<double>(), 300.0 / 11, 1e-9);
  }
  for (const char* const name :
       {"report.md", "step-formula/calculation.json", "step-formula/calculation.tex",
        "step-over/simulation.csv", "step-over/curves.csv", "step-over/curves.svg",
        "step-over/curves.png", "step-schedules/trace.json"}) {
    EXPECT_TRUE(fs::exists(fs::path(out) / name)) << name;
  }
  const std::string commands = testing::read(fs::path(out) / "commands.csv");
  EXPECT_NE(commands.find("tensorscope calculate pipeline"), std::string::npos);
  EXPECT_NE(commands.find("tensorscope simulate pipeline --over micro_batches=4,8,16,32"),
            std::string::npos)
      << commands;
  const auto trace = testing::document_of(
      testing::run_program("summary --json " + out + "/step-schedules/trace.json"));
  EXPECT_EQ(trace["kind"], "trace");
  EXPECT_NE(testing::read(fs::path(out) / "report.md").find("Simulated"), std::string::npos);
}

// Errors of the material are listed with the right statement.
TEST(LessonCommand, ListsTheErrorsOfTheMaterial) {
  const auto all = testing::document_of(testing::run_program("lesson list --errors --json"));
  ASSERT_EQ(all.size(), 39U);
  EXPECT_EQ(all[18]["error"], "E-19");
  EXPECT_EQ(all[18]["rows"], nlohmann::json::array({"A2-31"}));
  for (const char* const key : {"published", "correct", "evidence"})
    EXPECT_FALSE(all[18][key].get<std::string>().empty()) << key;
  const auto text = testing::run_program("lesson list --errors --lang zh-CN");
  EXPECT_EQ(text.code, 0);
  EXPECT_NE(text.out.find("E-19"), std::string::npos);
}

TEST(LessonCommand, TheSameFolderGoesOnAfterTheStepsThatHaveEnded) {
  const TemporaryFolder folder;
  const std::string out = (folder.path() / "homework").string();
  const std::string run = "lesson run oom-hunt --json --out " + out;
  ASSERT_EQ(testing::run_program(run + " --guess 8000").code, 0);
  const auto probes = fs::path(out) / "step-hunt/hunt.json";
  const auto written = fs::last_write_time(probes);
  // One step is missing, as after Control-C.
  const auto state = fs::path(out) / "lesson.json";
  auto json = nlohmann::json::parse(testing::read(state));
  json["finished"].erase("grid");
  std::ofstream(state) << json.dump();
  const auto ended = testing::run_program(run);
  ASSERT_EQ(ended.code, 0) << ended.err;
  EXPECT_EQ(ended.err.find("1 of 4"), std::string::npos) << ended.err;
  EXPECT_NE(ended.err.find("4 of 4"), std::string::npos) << ended.err;
  EXPECT_EQ(fs::last_write_time(probes), written) << "a step that has ended is not run again";
  const auto document = testing::document_of(ended);
  EXPECT_EQ(document["guess"], "8000") << "the guess is kept";
  // The published column of the card, to the last digit.
  for (const auto& check : document["checks"]) EXPECT_EQ(check["state"], "passed") << check;
  for (const auto& value : document["values"]) EXPECT_TRUE(value["measured"].is_null());
}

// Points measured before Control-C are not measured again, also within a sweep.
TEST(LessonCommand, ControlCKeepsThePointsThatHaveEnded) {
  const TemporaryFolder folder;
  const std::string out = (folder.path() / "homework").string();
  const std::string journal = out + "/step-batch/sweep.jsonl";
  const std::string command = TENSORSCOPE_PROGRAM " lesson run batch-throughput --out " + out;
  // A header and a point are two lines.
  const std::string script = command + " >/dev/null 2>&1 & p=$!; while kill -0 $p && [ \"$(cat " +
                             journal +
                             " 2>/dev/null | wc -l)\" -lt 2 ]; do sleep 0.02; done; "
                             "kill -INT $p; wait $p";
  const int status = std::system(("bash -c '" + script + "' 2>/dev/null").c_str());
  EXPECT_EQ(WEXITSTATUS(status), 1);
  EXPECT_TRUE(fs::exists(fs::path(out) / "report.md")) << "what there is, is reported";
  const std::string before = testing::read(journal);
  const std::string first = before.substr(0, before.find('\n', before.find('\n') + 1));
  ASSERT_NE(first.find("\"ok\""), std::string::npos) << first;
  const auto ended = testing::run_program("lesson run batch-throughput --json --out " + out);
  ASSERT_EQ(ended.code, 0) << ended.err;
  EXPECT_TRUE(testing::document_of(ended)["complete"].get<bool>());
  EXPECT_TRUE(testing::read(journal).starts_with(first)) << "the point of before counts";
}

TEST(LessonCommand, ALessonOfOnesOwnIsAFile) {
  const TemporaryFolder folder;
  const auto file = folder.path() / "mine.json";
  std::ofstream(file) << R"({
    "id": "mine", "title": "Mine", "task": "Look.",
    "steps": [{"id": "dry", "title": "Dry", "laptop":
      {"kind": "predict", "workload": "attention", "set": ["B=1"]}}],
    "values": [{"id": "peak", "label": "Peak", "of": "dry.peak_bytes"}]})";
  const auto ended = testing::run_program("lesson run " + file.string() + " --json");
  ASSERT_EQ(ended.code, 0) << ended.err;
  const auto value = testing::document_of(ended)["values"][0];
  EXPECT_GT(value["predicted"]["value"].get<double>(), 0);
  EXPECT_TRUE(value["measured"].is_null());
}

TEST(LessonCommand, AllRowsAreListed) {
  const auto rows = testing::document_of(testing::run_program("lesson list --rows --json"));
  ASSERT_EQ(rows.size(), 116U);
  for (const auto& row : rows) {
    EXPECT_NE(row["lessons"].empty(), row["reason"].is_null()) << row;
  }
  const auto lessons = testing::document_of(testing::run_program("lesson list --json"));
  EXPECT_GE(lessons.size(), 8U);
}

TEST(LessonCommand, WrongInputIsOneSentence) {
  const TemporaryFolder folder;
  const std::string out = (folder.path() / "x").string();
  const auto broken = folder.path() / "broken.json";
  std::ofstream(broken) << "{\"id\": \"x\", \"steps\": 3}";
  const struct {
    std::string arguments;
    const char* says;
  } cases[] = {
      {"lesson run none", "There is no lesson \"none\"; there are "},
      {"lesson run sums --tier 12gb", "--tier takes laptop, 8gb or 80gb, not \"12gb\""},
      {"lesson run sums --tier 80gb", "The lesson sums has no steps for 80gb"},
      {"lesson run sums --guess four", "A guess is a number such as"},
      {"lesson run layernorm --guess 9", "has the choices 1 to 3, not \"9\""},
      {"lesson run " + broken.string(), "broken.json: \"title\" is missing"},
      {"lesson run " + out + "/none.json", "none.json"},
      {"lesson run sums --lang fr", "fr"},
  };
  for (const auto& one : cases) {
    const auto ended = testing::run_program(one.arguments);
    EXPECT_EQ(ended.code, 2) << one.arguments << ended.err;
    EXPECT_NE(ended.err.find(one.says), std::string::npos) << one.arguments << ": " << ended.err;
    EXPECT_EQ(std::ranges::count(ended.err, '\n'), 1) << ended.err;
  }
}

TEST(LessonCommand, AFolderOfAnotherLessonIsLeftAlone) {
  const TemporaryFolder folder;
  const std::string out = folder.path().string();
  std::ofstream(folder.path() / "lesson.json")
      << R"({"lesson": "other", "tier": "laptop", "answers": {}, "finished": {}})";
  const auto other = testing::run_program("lesson run sums --out " + out);
  EXPECT_EQ(other.code, 2);
  EXPECT_NE(other.err.find("holds the lesson other"), std::string::npos) << other.err;
  std::ofstream(folder.path() / "lesson.json") << "not ours";
  EXPECT_EQ(testing::run_program("lesson run sums --out " + out).code, 2);
  EXPECT_EQ(testing::read(folder.path() / "lesson.json"), "not ours");
}

}  // namespace
}  // namespace ts::app
