// Two points compared by name.
#include "core/sweep/point_profile.h"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <set>

#include "tests/run/made_runs.h"

namespace ts::sweep {
namespace {

nlohmann::json profile(double step_ms, double mm_ms, double peak) {
  return {{"step_ms", step_ms},
          {"peak_allocated", peak},
          {"operators",
           {{"aten::mm", {{"calls", 2}, {"self_ms", mm_ms}}},
            {"aten::add", {{"calls", 1}, {"self_ms", 0.5}}}}},
          {"modules", {{"blocks.0", {{"calls", 3}, {"total_ms", mm_ms + 0.5}}}}},
          {"peak",
           {{"categories", {{"activation", peak / 2}, {"parameter", peak / 2}}},
            {"operators", {{"aten::mm", peak}}},
            {"modules", {{"blocks.0", peak}}}}}};
}

TEST(PointProfile, RowsAreMatchedByNameAndTheGreatestDifferenceIsFirst) {
  nlohmann::json a = profile(2, 1, 1 << 20);
  nlohmann::json b = profile(5, 4, 1 << 22);
  b["operators"]["aten::softmax"] = {{"calls", 1}, {"self_ms", 7}};
  a["operators"]["aten::flash"] = {{"calls", 1}, {"self_ms", 1.5}};
  const ProfileComparison c = compare_profiles(a, b);
  ASSERT_EQ(c.operators.size(), 4U);
  EXPECT_EQ(c.operators[0].name, "aten::softmax");
  EXPECT_LT(c.operators[0].a, 0) << "A has none";
  EXPECT_EQ(c.operators[0].difference(), 7);
  EXPECT_EQ(c.operators[1].name, "aten::mm");
  EXPECT_EQ(c.operators[1].difference(), 3);
  EXPECT_EQ(c.operators[2].difference(), -1.5);
  EXPECT_EQ(c.operators[3].difference(), 0);
  EXPECT_EQ(c.modules[0].calls_b, 3);
  double before = 1e30;
  for (const auto* rows : {&c.categories, &c.operator_bytes, &c.module_bytes}) {
    ASSERT_FALSE(rows->empty());
    EXPECT_LE((*rows)[0].difference(), before);
  }
  const std::string words = comparison_markdown(c, "flash", "naive", 2);
  EXPECT_NE(words.find("B takes 2.50 times as long"), std::string::npos) << words;
  EXPECT_NE(words.find("B needs 4.00 times as much"), std::string::npos) << words;
  EXPECT_NE(words.find("2 more with smaller differences"), std::string::npos) << words;
  EXPECT_EQ(to_json(c)["operators"][0]["values"][0], nullptr);
  EXPECT_THROW(compare_profiles(a, nlohmann::json{{"step_ms", 1}}), nlohmann::json::exception);
}

TEST(PointProfile, OfARunHoldsWhatAddsUp) {
  base::StringTable strings;
  const auto run = run::testing::made_run(spec::WorkloadSpec{}, 2, 4096);
  const nlohmann::json made = profile_of(run, strings);
  EXPECT_EQ(made["peak_allocated"], 4096);
  EXPECT_NEAR(made["step_ms"].get<double>(), 2, 1e-3);
  EXPECT_EQ(made["peak"]["operators"]["(none)"], 4096);
  const ProfileComparison same = compare_profiles(made, made);
  EXPECT_EQ(same.operator_bytes[0].difference(), 0);
}

TEST(PointProfile, NamesAreFilesAndStayWhenTheSweepIsWidened) {
  SweepSpec spec;
  spec.base.workload = spec::WorkloadKind::lm;
  spec.axes = {*parse_axis("T=64,128")};
  spec.series = {*parse_series("pass=forward+backward,full_step"), *parse_series("B=1,2")};
  const Sweep sweep(spec);
  EXPECT_EQ(profile_name(sweep, 3), "forward+backward,B=2_T=128");
  std::set<std::string> names;
  for (std::size_t i = 0; i < sweep.points().size(); ++i) {
    EXPECT_TRUE(names.insert(profile_name(sweep, i)).second);
  }
}

// Signs, spaces and letters that are not ASCII once vanished from the names, and two points shared
// a file.
TEST(PointProfile, NoTwoPointsShareAName) {
  SweepSpec spec;
  spec.base.workload = spec::WorkloadKind::lm;
  spec.base.pass = spec::Pass::full_step;
  spec.axes = {*parse_axis("T=64")};
  SweepSeriesField rates = *parse_series("lr=1e-3,1e3,0.001,1e+3");
  const std::string long_path(300, 'x');
  SweepSeriesField corpora{
      spec::Field::corpus,
      {"/a/b.txt", "/ab.txt", "a b", "a%20b", "a_b", "a = b", "a=b", "\xe4\xb9\xa6.txt",
       "\xe8\xaf\x97.txt", "\xff.txt", long_path + "1", long_path + "2"}};
  spec.series = {std::move(rates), std::move(corpora)};
  const Sweep sweep(spec);
  std::set<std::string> names;
  for (std::size_t i = 0; i < sweep.points().size(); ++i) {
    const std::string name = profile_name(sweep, i);
    EXPECT_TRUE(names.insert(name).second) << name;
    EXPECT_EQ(name.find('/'), std::string::npos) << name;
    EXPECT_LT(name.size(), 200U) << name;
  }
  EXPECT_EQ(names.size(), 48U);
  EXPECT_TRUE(names.contains("lr=1e-3,corpus=a%20b_T=64"));
}

}  // namespace
}  // namespace ts::sweep
