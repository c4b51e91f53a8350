// `tensorscope predict` from outside.
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <map>
#include <nlohmann/json.hpp>
#include <sstream>
#include <string>

#include "core/io/file.h"
#include "core/text/numbers.h"
#include "tests/app/program.h"
#include "tests/io/temporary_folder.h"

namespace ts::app {
namespace {

nlohmann::json predicted(const std::string& arguments) {
  const auto ended = testing::run_program("predict " + arguments + " --json");
  EXPECT_EQ(ended.code, 0) << ended.err;
  EXPECT_EQ(ended.err, "");
  return nlohmann::json::parse(ended.out, nullptr, false);
}

// CS336's "2.7B" has 3,406,809,600 parameters, 12.69 GiB of them in fp32.
TEST(PredictCommand, KnowsTheParametersOfThe2_7B) {
  const nlohmann::json answer = predicted("lm --preset 2.7B --gpu \"RTX 4090\"");
  EXPECT_EQ(answer.at("parameters"), 3'406'809'600);
  EXPECT_EQ(answer.at("by_category").at("parameter"), 4 * std::int64_t{3'406'809'600});
  EXPECT_EQ(answer.at("verdict"), "oom");
  const nlohmann::json& breaking = answer.at("breaking");
  EXPECT_GT(breaking.at("bytes"), 0);
  EXPECT_LT(breaking.at("free"), answer.at("target").at("capacity"));
  EXPECT_FALSE(breaking.at("operator").get<std::string>().empty());
  EXPECT_LT(answer.at("headroom"), 0);
  EXPECT_GT(answer.at("events"), 10'000);
  EXPECT_GT(answer.at("dry_run_ms"), 0);
}

// Naive attention with B = 8, T = 8192, d = 16: two squares of 2 GiB at once in the forward.
TEST(PredictCommand, SeesTheSquaresOfNaiveAttention) {
  const nlohmann::json answer = predicted(
      "attention --set B=8 --set T=8192 --set heads=1 --set d_head=16 --set causal=false "
      "--set pass=forward --gpu \"RTX 4090\"");
  EXPECT_EQ(answer.at("by_category").at("temporary"), std::int64_t{4} << 30);
  EXPECT_EQ(answer.at("verdict"), "fits");
  EXPECT_TRUE(answer.at("breaking").is_null());
}

// Predicted for the CPU and measured there are the same bytes.
TEST(PredictCommand, AgreesWithARunOnTheCpu) {
  const std::string workload = "block --preset tiny --set memory_limit=2GiB";
  const nlohmann::json answer = predicted(workload + " --cpu");
  const auto ended = testing::run_program("run " + workload + " --steps 3 --json");
  ASSERT_EQ(ended.code, 0) << ended.err;
  const nlohmann::json measured = nlohmann::json::parse(ended.out);
  EXPECT_EQ(answer.at("peak_allocated"), measured.at("memory").at("peak_allocated"));
  EXPECT_EQ(answer.at("peak_first_step"), measured.at("memory").at("peak_first_step"));
  EXPECT_EQ(answer.at("before_backward"), measured.at("memory").at("before_backward"));
  EXPECT_GT(answer.at("before_backward"), 0);
  EXPECT_EQ(answer.at("by_category"), measured.at("memory").at("by_category"));
  EXPECT_EQ(answer.at("parameters"), measured.at("parameters"));
}

// Every change is a prediction of its own, and is what predict says of it.
TEST(PredictCommand, ListsWhatWouldMakeItFit) {
  const std::string workload = "lm --preset small --set T=2048 --set B=16 --gpu \"RTX 4090\"";
  const nlohmann::json answer = predicted(workload);
  ASSERT_EQ(answer.at("verdict"), "oom");
  ASSERT_GE(answer.at("remedies").size(), 5U);
  bool some_fits = false;
  for (const nlohmann::json& remedy : answer.at("remedies")) {
    EXPECT_GT(remedy.at("estimated_time_ratio"), 0);
    some_fits = some_fits || remedy.at("verdict") != "oom";
    std::string changed = workload;
    for (const auto& one : remedy.at("set")) changed += " --set " + one.get<std::string>();
    EXPECT_EQ(predicted(changed).at("needed"), remedy.at("needed")) << remedy.dump();
    if (remedy.at("change") == "checkpoint_blocks") {
      EXPECT_GT(remedy.at("estimated_time_ratio"), 1) << "the forward is run twice";
    }
  }
  EXPECT_TRUE(some_fits);
  EXPECT_TRUE(predicted("lm --preset tiny --gpu \"RTX 4090\"").at("remedies").empty());
}

// The same by --alloc-conf and as a setting; what cannot be read is one sentence.
TEST(PredictCommand, FollowsTheAllocatorsSettings) {
  const std::string workload = "lm --preset small --set T=1024 --gpu \"RTX 4090\"";
  const nlohmann::json plain = predicted(workload);
  const nlohmann::json option = predicted(workload + " --alloc-conf expandable_segments:True");
  const nlohmann::json setting = predicted(workload + " --set alloc_conf=expandable_segments:True");
  EXPECT_EQ(option.at("alloc_conf"), "expandable_segments:True");
  EXPECT_EQ(option.at("needed"), setting.at("needed"));
  // A block of an expandable segment is split to the last 512 bytes, any other one leaves up to 1
  // MiB.
  EXPECT_LT(option.at("peak_allocated"), plain.at("peak_allocated"));
  EXPECT_LT(option.at("peak_reserved"), plain.at("peak_reserved"));
  const auto refused = testing::run_program("predict " + workload + " --alloc-conf nonsense:1");
  EXPECT_EQ(refused.code, 2);
  EXPECT_NE(refused.err.find("There is no allocator setting nonsense"), std::string::npos);
}

// The bytes of the tensor in a row of the table of the peak: ..."[2, 128]",fp32,...
std::int64_t bytes_of_shape(const std::string& row) {
  const std::size_t open = row.find('['), close = row.find(']');
  if (open == std::string::npos) return 0;
  const std::size_t type = row.find(',', close) + 1;
  const std::map<std::string, std::int64_t> bytes = {{"fp32", 4}, {"int64", 8}, {"bool", 1}};
  std::int64_t all = bytes.at(row.substr(type, row.find(',', type) - type));
  std::istringstream sizes(row.substr(open + 1, close - open - 1));
  for (std::string size; std::getline(sizes, size, ',');) all *= std::stoll(size);
  return all;
}

// The snapshot opens in PyTorch's own viewer and says what it is; the tables add up to the peak.
TEST(PredictCommand, OutHoldsSnapshotTablesAndPictures) {
  const io::testing::TemporaryFolder folder;
  const std::filesystem::path out = folder.path() / "out";
  const std::string workload = "lm --preset tiny --gpu \"RTX 4060\"";
  const auto ended = testing::run_program("predict " + workload + " --out '" + out.string() + "'");
  ASSERT_EQ(ended.code, 0) << ended.err;
  for (const char* name : {"prediction.json", "predicted_snapshot.pickle", "peak.csv", "peak.md",
                           "accounting.csv", "accounting.md", "workspace.png", "memory.png"})
    EXPECT_TRUE(std::filesystem::exists(out / name)) << name;
  const std::string viewer = "python3 -B '" TENSORSCOPE_SNAPSHOT_CHECK "' viewer '" +
                             (out / "predicted_snapshot.pickle").string() +
                             "' '" TENSORSCOPE_MEMORY_VIZ "' > /dev/null 2>&1";
  EXPECT_EQ(std::system(viewer.c_str()), 0) << viewer;
  const auto pickle = io::read_file(out / "predicted_snapshot.pickle");
  ASSERT_TRUE(pickle);
  EXPECT_NE(pickle->find("predicted for RTX 4060, not recorded"), std::string::npos);

  const nlohmann::json answer = predicted(workload);
  std::int64_t sum = 0;
  std::ifstream peak(out / "peak.csv");
  std::string line;
  std::getline(peak, line);
  EXPECT_EQ(line, "bytes,MiB,category,tensor,shape,dtype,operator,module,phase,step");
  while (std::getline(peak, line)) {
    const std::int64_t bytes = std::stoll(line.substr(0, line.find(',')));
    sum += bytes;
    EXPECT_EQ(bytes_of_shape(line), bytes) << line;
  }
  EXPECT_EQ(sum, answer.at("peak_requested"));
  const auto accounting = io::read_file(out / "accounting.md");
  ASSERT_TRUE(accounting);
  const std::string parameters = text::grouped(answer.at("parameters").get<std::int64_t>());
  EXPECT_NE(accounting->find("2 x " + parameters + " x 4 B"), std::string::npos) << *accounting;

  // On the CPU there is no card to draw.
  const std::filesystem::path cpu = folder.path() / "cpu";
  EXPECT_EQ(
      testing::run_program("predict lm --preset tiny --cpu --out '" + cpu.string() + "'").code, 0);
  EXPECT_TRUE(std::filesystem::exists(cpu / "predicted_snapshot.pickle"));
  EXPECT_FALSE(std::filesystem::exists(cpu / "memory.png"));

  // Once more into the same folder; into one of somebody else's files it is bad input.
  EXPECT_EQ(testing::run_program("predict " + workload + " --out '" + out.string() + "'").code, 0);
  const std::filesystem::path other = folder.path() / "other";
  std::filesystem::create_directory(other);
  std::ofstream(other / "peak.md") << "mine";
  EXPECT_EQ(testing::run_program("predict " + workload + " --out '" + other.string() + "'").code,
            2);
  EXPECT_EQ(io::read_file(other / "peak.md").value_or(""), "mine");
}

}  // namespace
}  // namespace ts::app
