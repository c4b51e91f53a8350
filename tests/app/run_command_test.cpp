// The run and doctor commands as a user types them, with the real engine.
#include <gtest/gtest.h>

#include <algorithm>

#include <nlohmann/json.hpp>

#include "tests/app/program.h"

namespace ts::app {
namespace {

constexpr const char* kSmall = " --set B=1 --set heads=2 --set T=128 --set d_head=32 --steps 10 ";

// The forward of the second step is refused: the first step's figures are not its own.
TEST(RunCommand, AStepThatBrokeOffHasNoFiguresOfAnother) {
  const auto ended = testing::run_program(
      "run lm --preset tiny --set B=4 --set T=256 --set memory_limit=51MiB --steps 1");
  ASSERT_EQ(ended.code, 1) << ended.err;
  EXPECT_NE(ended.out.find("aten::_log_softmax in loss"), std::string::npos) << ended.out;
  EXPECT_NE(ended.out.find(" in 1 step\n"), std::string::npos) << ended.out;
  EXPECT_EQ(ended.out.find("Before backward"), std::string::npos) << ended.out;
}

TEST(RunCommand, JsonHasEverythingPromised) {
  const auto ended = testing::run_program(std::string("run attention --json") + kSmall);
  ASSERT_EQ(ended.code, 0) << ended.err;
  const auto json = testing::document_of(ended);
  EXPECT_EQ(json["verdict"], "ok");
  EXPECT_EQ(json["spec"]["T"], 128);
  EXPECT_EQ(json["backend_ran"], "naive");
  EXPECT_EQ(json["step_ms"]["n"], 10);
  EXPECT_GT(json["step_ms"]["median"].get<double>(), 0);
  EXPECT_LE(json["step_ms"]["min"], json["step_ms"]["median"]);
  EXPECT_LE(json["step_ms"]["median"], json["step_ms"]["p90"]);
  EXPECT_EQ(json["step_ms"]["ci95"].size(), 2U);
  EXPECT_GT(json["tokens_per_s"].get<double>(), 0);
  EXPECT_GT(json["tflops_per_s"].get<double>(), 0);
  EXPECT_GT(json["recording"]["slices"].get<int>(), 10);
  EXPECT_EQ(json["recording"]["dropped"], 0);
  EXPECT_TRUE(json["environment"].contains("cpu"));
  std::int64_t sum = 0;
  for (const auto& bytes : json["memory"]["by_category"]) sum += bytes.get<std::int64_t>();
  EXPECT_EQ(json["memory"]["peak_allocated"], sum) << "categories at the peak add up to it";
}

TEST(RunCommand, SpecOfARunRunsAgain) {
  const testing::TemporaryFolder folder;
  const auto first = testing::run_program(std::string("run attention --json --set seed=7 --out ") +
                                          folder.path().string() + kSmall);
  ASSERT_EQ(first.code, 0) << first.err;
  const auto again =
      testing::run_program("run --json --steps 10 --spec " + (folder.path() / "run.json").string());
  ASSERT_EQ(again.code, 0) << again.err;
  EXPECT_EQ(testing::document_of(first)["spec"], testing::document_of(again)["spec"]);
  EXPECT_EQ(testing::document_of(first)["memory"]["peak_allocated"],
            testing::document_of(again)["memory"]["peak_allocated"]);
}

TEST(RunCommand, ValuesAreComparedOnRequest) {
  const testing::TemporaryFolder folder;
  const std::string out = " --out " + folder.path().string() + " --parts tables";
  auto ended = testing::run_program(
      std::string("run attention --set backend=flash --set pass=forward+backward --check-values") +
      kSmall + out);
  ASSERT_EQ(ended.code, 0) << ended.err;
  EXPECT_NE(ended.out.find("Off fp64 by "), std::string::npos) << ended.out;
  const auto run = nlohmann::json::parse(testing::read(folder.path() / "run.json"));
  EXPECT_EQ(run["protocol"]["check_values"], true);
  EXPECT_LT(run["values"]["error"].get<double>(), 1e-5);
  EXPECT_LT(run["values"]["gradient_error"].get<double>(), 1e-5);
  const auto& checks = run["checks"];
  const auto found =
      std::ranges::find_if(checks, [](const auto& one) { return one["check"] == "C-26"; });
  ASSERT_NE(found, checks.end());
  EXPECT_EQ((*found)["state"], "passed");
  ended = testing::run_program(std::string("run attention --json") + kSmall);
  EXPECT_TRUE(testing::document_of(ended)["values"].is_null()) << "nobody asked";
}

TEST(RunCommand, NotesGoIntoTheReport) {
  const testing::TemporaryFolder folder;
  const auto ended = testing::run_program(
      "run attention --note 'a first try' --note '@0.5 here it begins' --out " +
      folder.path().string() + kSmall);
  ASSERT_EQ(ended.code, 0) << ended.err;
  const auto json = nlohmann::json::parse(testing::read(folder.path() / "run.json"));
  const nlohmann::json notes = {{{"text", "a first try"}},
                                {{"text", "here it begins"}, {"at_ms", 0.5}}};
  EXPECT_EQ(json["notes"], notes);
  const std::string report = testing::read(folder.path() / "report.md");
  EXPECT_NE(report.find("| the run | a first try |"), std::string::npos) << report;
  EXPECT_NE(report.find("here it begins"), std::string::npos);
  for (const char* wrong : {"'@soon now'", "'@5'", "'@-1 before'", "'@nan x'"}) {
    const auto refused =
        testing::run_program(std::string("run attention --note ") + wrong + kSmall);
    EXPECT_EQ(refused.code, 2) << wrong;
    EXPECT_NE(refused.err.find("--note @"), std::string::npos) << refused.err;
  }
}

// The results of another run are replaced whole: nothing of it stays beside them. Files that the
// program did not write stay, and are never written over.
TEST(RunCommand, OutReplacesARunAndNothingElse) {
  const testing::TemporaryFolder folder;
  const auto out = folder.path() / "out";
  const auto ended = testing::run_program(
      "run layernorm --preset a2-12 --set B=1 --set T=8 --set d_model=64 --steps 3 --out " +
      out.string());
  ASSERT_EQ(ended.code, 0) << ended.err;
  ASSERT_TRUE(std::filesystem::exists(out / "curves.csv"));
  std::ofstream(out / "notes.txt") << "mine";
  const std::string again = std::string("run attention --out ") + out.string() + kSmall;
  ASSERT_EQ(testing::run_program(again).code, 0);
  for (const char* left : {"curves.csv", "curves.png", "curves.svg"}) {
    EXPECT_FALSE(std::filesystem::exists(out / left)) << left;
  }
  EXPECT_EQ(nlohmann::json::parse(testing::read(out / "run.json"))["spec"]["workload"],
            "attention");
  EXPECT_EQ(testing::read(out / "notes.txt"), "mine");

  const auto mine = folder.path() / "mine";
  std::filesystem::create_directories(mine);
  std::ofstream(mine / "trace.json") << "my own trace";
  const auto refused =
      testing::run_program(std::string("run attention --out ") + mine.string() + kSmall);
  EXPECT_EQ(refused.code, 2);
  EXPECT_NE(refused.err.find("holds trace.json and no list of what tensorscope wrote there, as "
                             "earlier versions kept none: give another folder, or remove"),
            std::string::npos)
      << refused.err;
  // With the list it is known whose it is.
  std::ofstream(mine / ".tensorscope-files") << "run.json\n";
  EXPECT_NE(testing::run_program(std::string("run attention --out ") + mine.string() + kSmall)
                .err.find("holds trace.json, which tensorscope did not write there"),
            std::string::npos);
  EXPECT_EQ(testing::read(mine / "trace.json"), "my own trace");
  EXPECT_FALSE(std::filesystem::exists(mine / "run.json"));
}

// Output that cannot be written is an error of its own. A closed descriptor is never given
// to a file, which would then have the output in it.
TEST(RunCommand, OnlyTheChosenPartsAreWritten) {
  const testing::TemporaryFolder folder;
  const auto out = folder.path() / "run";
  const auto there = [&](const char* name) { return std::filesystem::exists(out / name); };
  const std::string run = std::string("run attention --out ") + out.string() + kSmall;
  ASSERT_EQ(testing::run_program(run + " --parts snapshot,tables").code, 0);
  EXPECT_TRUE(there("run.json") && there("snapshot.pickle") && there("operators.csv"));
  EXPECT_FALSE(there("trace.json") || there("memory.png") || there("report.md"));
  // The report shows the numbers, the tables that are there, and the command that does it again.
  ASSERT_EQ(testing::run_program(run + " --parts tables,report").code, 0);
  EXPECT_TRUE(there("report.html") && there("report.tex") && there("spec.json"));
  const std::string report = testing::read(out / "report.md");
  for (const char* const part :
       {"| Step time, median |", "tensorscope run --spec ./spec.json", "operators.csv"})
    EXPECT_NE(report.find(part), std::string::npos) << part << "\n" << report;
  EXPECT_EQ(report.find("snapshot.pickle"), std::string::npos);
  const std::string again = "run --spec " + (out / "spec.json").string() + " --steps 1 --json";
  EXPECT_EQ(testing::run_program(again).code, 0);
  // Files of an earlier result that this one lacks are gone.
  ASSERT_EQ(testing::run_program(run + " --parts none").code, 0);
  EXPECT_TRUE(there("run.json"));
  EXPECT_FALSE(there("snapshot.pickle") || there("operators.csv"));
  const auto wrong = testing::run_program(run + " --parts snapshots");
  EXPECT_EQ(wrong.code, 2);
  EXPECT_NE(wrong.err.find("there are snapshot,trace,tables,pictures,report, or none"),
            std::string::npos)
      << wrong.err;
  EXPECT_EQ(testing::run_program("predict lm --preset tiny --parts tables").code, 2)
      << "without --out there is nothing to choose";
}

TEST(RunCommand, OutputThatCannotBeWrittenIsAnError) {
  const testing::TemporaryFolder folder;
  const auto code = [](const std::string& arguments) {
    const std::string command = TENSORSCOPE_PROGRAM " " + arguments;
    const int status = std::system(command.c_str());
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
  };
  const std::string err = " 2>" + (folder.path() / "err").string();
  const auto said = [&] { return testing::read(folder.path() / "err"); };
  EXPECT_EQ(code("doctor --json >/dev/full" + err), 1);
  EXPECT_NE(said().find("Cannot write the output: No space left"), std::string::npos) << said();
  EXPECT_EQ(code("--help >/dev/full" + err), 1);
  const auto out = folder.path() / "out";
  EXPECT_EQ(code(std::string("run attention --json --out ") + out.string() + kSmall + ">&-" + err),
            1);
  EXPECT_NE(said().find("Cannot write the output: Bad file descriptor"), std::string::npos)
      << said();
  EXPECT_EQ(nlohmann::json::parse(testing::read(out / "run.json"))["verdict"], "ok");
  EXPECT_EQ(code("shot --sweep nowhere --out /dev/null >&- 2>&-"), 2);
  EXPECT_EQ(code("--version >/dev/null" + err), 0);
}

TEST(RunCommand, OfAWorkloadAboutNumbersOutHoldsItsCurves) {
  const testing::TemporaryFolder folder;
  const auto ended = testing::run_program(
      "run layernorm --preset a2-12 --set B=1 --set T=8 --set d_model=64 --steps 3 --json --out " +
      folder.path().string());
  ASSERT_EQ(ended.code, 0) << ended.err;
  const auto json = testing::document_of(ended);
  EXPECT_EQ(json["curves"]["x"], "scale");
  ASSERT_EQ(json["curves"]["of"].size(), 5U);
  EXPECT_EQ(json["curves"]["of"][1]["name"], "fp16");
  EXPECT_EQ(json["curves"]["of"][1]["largest"], 1);
  EXPECT_GT(json["results"][1]["value"], 0) << "squares of fp16 above 65,504";
  EXPECT_TRUE(json["results"][1]["error_percent"].is_null());
  const std::string csv = testing::read(folder.path() / "curves.csv");
  EXPECT_TRUE(csv.starts_with("scale,fp32,fp16,bf16,")) << csv.substr(0, 80);
  EXPECT_EQ(std::count(csv.begin(), csv.end(), '\n'), 23);
  EXPECT_TRUE(testing::read(folder.path() / "curves.svg").starts_with("<svg"));
  EXPECT_GT(testing::read(folder.path() / "curves.png").size(), 10'000U);
}

TEST(RunCommand, OutHoldsRunTraceAndPictures) {
  const testing::TemporaryFolder folder;
  const auto ended = testing::run_program(std::string("run lm --preset tiny --steps 10 --out ") +
                                          (folder.path() / "deep" / "er").string());
  ASSERT_EQ(ended.code, 0) << ended.err;
  const auto out = folder.path() / "deep" / "er";
  const auto trace = nlohmann::json::parse(testing::read(out / "trace.json"));
  EXPECT_GT(trace["traceEvents"].size(), 100U);
  EXPECT_EQ(nlohmann::json::parse(testing::read(out / "run.json"))["verdict"], "ok");
  const std::string csv = testing::read(out / "operators.csv");
  EXPECT_NE(csv.find("operator,calls,self ms"), std::string::npos) << csv.substr(0, 200);
  EXPECT_NE(csv.find("aten::"), std::string::npos);
  EXPECT_NE(testing::read(out / "operators.md").find("## By module"), std::string::npos);
  for (const char* picture : {"timeline.png", "memory.png", "workspace.png"}) {
    EXPECT_EQ(testing::read(out / picture).substr(1, 3), "PNG") << picture;
  }
}

TEST(RunCommand, OperatorsComeOnRequest) {
  const auto ended = testing::run_program("run lm --preset tiny --steps 3 --json --operators");
  ASSERT_EQ(ended.code, 0) << ended.err;
  const auto operators = testing::document_of(ended)["operators"];
  EXPECT_GT(operators["steps"], 0);
  double self = 0;
  double share = 0;
  for (const auto& row : operators["by_operator"]) {
    self += row["self_ms"].get<double>();
    share += row["share"].get<double>();
    EXPECT_LE(row["self_ms"].get<double>(), row["total_ms"].get<double>() + 1e-9) << row;
  }
  EXPECT_NEAR(self, operators["operators_ms"].get<double>(), 1e-6 * self);
  EXPECT_NEAR(share, 1, 1e-6);
  EXPECT_GT(operators["self_ms_by_class"]["forward"]["matmul"].get<double>(), 0);
  double phases = 0;
  for (const auto& row : operators["by_phase"]) phases += row["self_ms"].get<double>();
  EXPECT_NEAR(phases, self, 1e-6 * self);
}

TEST(RunCommand, OutOfMemoryIsAVerdictWithCodeOne) {
  const auto ended =
      testing::run_program("run attention --json --set T=2048 --set memory_limit=64MiB");
  EXPECT_EQ(ended.code, 1);
  const auto json = testing::document_of(ended);
  EXPECT_EQ(json["verdict"], "oom");
  const std::string reason = json["reason"];
  EXPECT_NE(reason.find("needs"), std::string::npos) << reason;
  EXPECT_NE(reason.find("free"), std::string::npos) << reason;
}

TEST(RunCommand, MissingEngineSaysSo) {
  const auto ended = testing::run_program(std::string("run attention") + kSmall,
                                          "TENSORSCOPE_ENGINE_DIR=/nonexistent");
  EXPECT_EQ(ended.code, 1);
  EXPECT_NE(ended.err.find("libtensorscope_kernels.so"), std::string::npos) << ended.err;
}

TEST(ShotCommand, MissingEngineSaysSoInsteadOfAPictureOfNothing) {
  const testing::TemporaryFolder folder;
  const std::filesystem::path picture = folder.path() / "a.png";
  for (const char* page : {"run", "ab", "hunt"}) {
    const auto ended = testing::run_program(
        std::string("shot mlp --workspace ") + page + " --out " + picture.string(),
        "TENSORSCOPE_ENGINE_DIR=/nonexistent");
    EXPECT_EQ(ended.code, 1) << page;
    EXPECT_NE(ended.err.find("libtensorscope_kernels.so"), std::string::npos) << ended.err;
    EXPECT_EQ(std::count(ended.err.begin(), ended.err.end(), '\n'), 1) << ended.err;
    EXPECT_FALSE(std::filesystem::exists(picture)) << page;
  }
}

TEST(Doctor, JsonNamesEveryFinding) {
  const auto ended = testing::run_program("doctor --json", "DISPLAY=");
  EXPECT_EQ(ended.code, 0);
  const auto json = testing::document_of(ended);
  std::vector<std::string> ids;
  for (const auto& finding : json["findings"]) {
    ids.push_back(finding["id"]);
    EXPECT_FALSE(finding["found"].get<std::string>().empty()) << finding;
    EXPECT_EQ(finding["advice"].is_null(), finding["status"] == "ok") << finding;
  }
  for (const char* id :
       {"cpu", "ram", "gpu", "cupti", "libtorch", "display", "pictures", "fonts"}) {
    EXPECT_NE(std::find(ids.begin(), ids.end(), id), ids.end()) << id;
  }
}

}  // namespace
}  // namespace ts::app
