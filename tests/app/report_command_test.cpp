// One report of what was saved.
#include <gtest/gtest.h>

#include <fstream>

#include "core/io/zip_archive.h"
#include "tests/app/program.h"

namespace ts::app {
namespace {

TEST(ReportCommand, MakesOneReportOfSavedResults) {
  const testing::TemporaryFolder folder;
  const std::string root = folder.path().string();
  ASSERT_EQ(testing::run_program("run attention --set B=1 --set T=64 --set heads=2 --steps 10 "
                                 "--parts tables --out " +
                                 root + "/r")
                .code,
            0);
  ASSERT_EQ(
      testing::run_program("predict lm --preset tiny --gpu \"rtx 4060\" --parts tables,snapshot "
                           "--out " +
                           root + "/p")
          .code,
      0);
  ASSERT_EQ(testing::run_program("sweep attention --axis T=64,128 --series backend=naive,flash "
                                 "--set B=1 --gpu \"rtx 4060\" --predict --out " +
                                 root + "/s")
                .code,
            0);
  std::filesystem::create_directory(root + "/s/points");
  const std::string out = root + "/homework";
  const auto ended = testing::run_program("report " + root + "/r " + root + "/p " + root +
                                          "/s --title \"My homework\" --out " + out);
  ASSERT_EQ(ended.code, 0) << ended.err;
  const std::string page = testing::read(out + "/report.md");
  for (const char* const part :
       {"# My homework", "## Run: attention", "## Prediction: lm", "## Sweep: attention",
        "| Peak allocated |", "| Needed |",
        "tensorscope run --spec result-1-run/spec.json --steps 10",
        "tensorscope sweep --spec result-3-sweep/spec.json --axis T=64,128 --series "
        "backend=naive,flash --predict --out DIR",
        "## Sweep: attention: dtype = fp32, B = 1, target_gpu = ",
        "- naive: predicted peak memory grows", "snapshot.pickle", "figure.svg"}) {
    EXPECT_NE(page.find(part), std::string::npos) << part << "\n" << page;
  }
  EXPECT_FALSE(std::filesystem::exists(out + "/result-3-sweep/points")) << "folders are not copied";
  const std::size_t environment = page.find("| libtorch version |");
  EXPECT_NE(environment, std::string::npos) << page;
  EXPECT_EQ(page.find("| libtorch version |", environment + 1), std::string::npos)
      << "one machine is told once";
  EXPECT_NE(testing::read(out + "/report.html").find("<table>"), std::string::npos);
  EXPECT_NE(testing::read(out + "/report.tex").find("\\documentclass"), std::string::npos);
  const auto archive = io::ZipArchive::open(out + ".zip");
  ASSERT_TRUE(archive) << archive.error().sentence;
  EXPECT_NE(archive->find("homework/report.html"), nullptr);
  EXPECT_NE(archive->find("homework/result-2-prediction/predicted_snapshot.pickle"), nullptr);
  // The command in it does the same again.
  const auto again =
      testing::run_program("predict --json --spec " + out + "/result-2-prediction/spec.json");
  ASSERT_EQ(again.code, 0) << again.err;
  EXPECT_EQ(testing::document_of(again)["needed"],
            nlohmann::json::parse(testing::read(root + "/p/prediction.json"))["needed"]);
  // Fewer results the next time: what is no longer there is gone.
  ASSERT_EQ(testing::run_program("report " + root + "/p --lang zh-CN --out " + out).code, 0);
  EXPECT_FALSE(std::filesystem::exists(out + "/result-3-sweep"));
  const std::string chinese = testing::read(out + "/report.md");
  for (const char* const part :
       {"\xe9\xa2\x84\xe6\xb5\x8b", "RTX 4060 \xe6\x94\xbe\xe5\xbe\x97\xe4\xb8\x8b",
        "| \xe7\xb1\xbb\xe5\x88\xab | "})
    EXPECT_NE(chinese.find(part), std::string::npos) << part << "\n" << chinese;
  for (const char* const part : {"Fits on", "| category", "| bytes"})
    EXPECT_EQ(chinese.find(part), std::string::npos) << part << "\n" << chinese;
}

TEST(ReportCommand, TakesAComparisonThatAbWrote) {
  const testing::TemporaryFolder folder;
  const std::string root = folder.path().string();
  const std::string ab =
      "ab attention --set B=1 --set T=64 --set heads=2 --with backend=flash --pairs 10 --out " +
      root + "/ab";
  ASSERT_EQ(testing::run_program(ab).code, 0);
  const auto json = nlohmann::json::parse(testing::read(root + "/ab/comparison.json"));
  EXPECT_EQ(json["differences"][0]["key"], "backend");
  EXPECT_NE(testing::read(root + "/ab/comparison.md").find("| "), std::string::npos);
  const std::string own = testing::read(root + "/ab/report.md");
  EXPECT_NE(own.find("| backend | naive | flash |"), std::string::npos) << own;
  EXPECT_NE(own.find("--with backend=flash --pairs 10"), std::string::npos) << own;
  EXPECT_EQ(own.find("backend = naive"), std::string::npos) << "of A alone\n" << own;
  EXPECT_TRUE(testing::read(root + "/ab/comparison.md").starts_with("backend: A naive, B flash\n"));
  EXPECT_NE(own.find("tensorscope ab --spec ./a.json --with backend=flash"), std::string::npos)
      << own;
  ASSERT_EQ(testing::run_program("report " + root + "/ab --out " + root + "/homework").code, 0);
  EXPECT_NE(testing::read(root + "/homework/report.md").find("A against B"), std::string::npos);
  // Tables that are not asked for again are gone; a file of the user's is never replaced.
  ASSERT_EQ(testing::run_program(ab + " --parts none").code, 0);
  EXPECT_FALSE(std::filesystem::exists(root + "/ab/comparison.md"));
  std::filesystem::create_directory(root + "/mine");
  std::ofstream(root + "/mine/report.md") << "mine";
  EXPECT_EQ(testing::run_program("ab attention --with backend=flash --out " + root + "/mine").code,
            2);
}

TEST(ReportCommand, WrongInputsAreNamed) {
  const testing::TemporaryFolder folder;
  const std::string root = folder.path().string();
  const auto nothing = testing::run_program("report " + root + " --out " + root + "/out");
  EXPECT_EQ(nothing.code, 2);
  EXPECT_NE(nothing.err.find("holds no saved result; one of run.json, prediction.json"),
            std::string::npos)
      << nothing.err;
  EXPECT_FALSE(std::filesystem::exists(root + "/out"));
  std::ofstream(root + "/run.json") << R"({"spec": {"workload": "poetry"}})";
  const auto broken = testing::run_program("report " + root + " --out " + root + "/out");
  EXPECT_EQ(broken.code, 2);
  EXPECT_NE(broken.err.find("no settings that can be read"), std::string::npos) << broken.err;
  std::ofstream(root + "/run.json") << "{";
  EXPECT_EQ(testing::run_program("report " + root + " --out " + root + "/out").code, 2);
  // An archive that somebody else wrote stays.
  std::ofstream(root + "/run.json") << R"({"spec": {"workload": "attention"}})";
  std::ofstream(root + "/mine.zip") << "mine";
  EXPECT_EQ(testing::run_program("report " + root + " --out " + root + "/mine").code, 2);
  EXPECT_EQ(testing::read(root + "/mine.zip"), "mine");
}

}  // namespace
}  // namespace ts::app
