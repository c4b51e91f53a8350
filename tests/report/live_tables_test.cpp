#include "core/report/live_tables.h"

#include <gtest/gtest.h>

namespace ts::report {
namespace {

class LiveTables : public ::testing::Test {
 protected:
  memory::Record record(memory::Action action, std::uint64_t address) {
    memory::Record one;
    one.action = action;
    one.address = address;
    one.time_ns = ++time_ns_;
    return one;
  }
  void alloc(std::uint64_t address, std::int64_t bytes, memory::Category category,
             std::int32_t step = -1, const char* shape = "", const char* module = "blocks.0") {
    memory::Record one = record(memory::Action::alloc, address);
    one.size = bytes;
    if (*shape != 0) one.shape = strings_.intern(shape);
    one.op = strings_.intern("aten::empty");
    one.module = strings_.intern(module);
    one.step = step;
    log_.append(one);
    memory::Record owner = record(memory::Action::owner, address);
    owner.category = category;
    log_.append(owner);
  }
  void free(std::uint64_t address) { log_.append(record(memory::Action::free_completed, address)); }

  base::StringTable strings_;
  memory::AllocationLog log_;
  std::int64_t time_ns_ = 0;
};

TEST_F(LiveTables, HaveOneRowABlockTheLargerFirst) {
  alloc(0x1000, 4000, memory::Category::parameter);
  alloc(0x2000, 1 << 20, memory::Category::input, 1);
  alloc(0x400000, 100, memory::Category::input, 1);
  free(0x400000);
  const io::TextTable table = live_table(log_, strings_, 3);
  ASSERT_EQ(table.rows.size(), 2U) << "what was given back is not alive";
  EXPECT_EQ(table.rows[0], (std::vector<std::string>{"1048576", "1.000", "input", "", "", "",
                                                     "aten::empty", "blocks.0", "setup", "2"}));
  EXPECT_EQ(table.rows[1][0], "4000");
  EXPECT_EQ(table.rows[1][9], "") << "before the first step";
  EXPECT_EQ(live_table(log_, strings_, 2).rows.size(), 3U);
  EXPECT_TRUE(live_table(log_, strings_, memory::kNone).rows.empty());
}

TEST_F(LiveTables, NameTensorsShapesAndTypesWhereTheyAreKnown) {
  const char* const weight = "[10, 20] bf16";
  alloc(0x1000, 400, memory::Category::parameter, -1, weight, "blocks.0.q.weight");
  alloc(0x2000, 400, memory::Category::parameter, -1, weight, "blocks.0.k.weight");
  alloc(0x3000, 40, memory::Category::parameter, -1, "[20] bf16", "norm.weight");
  alloc(0x4000, 40, memory::Category::parameter, -1, "[20] bf16", "norm.bias");
  alloc(0x5000, 399, memory::Category::gradient, 0, weight, "blocks.0.q");
  alloc(0x6000, 39, memory::Category::gradient, 0, "[20] bf16", "norm");
  alloc(0x7000, 38, memory::Category::activation, 0, "[19] bf16", "norm");
  std::vector<std::vector<std::string>> named;
  for (const auto& row : live_table(log_, strings_, 6).rows)
    named.push_back({row[3], row[4], row[5]});
  EXPECT_EQ(named, (std::vector<std::vector<std::string>>{{"blocks.0.q.weight", "[10, 20]", "bf16"},
                                                          {"blocks.0.k.weight", "[10, 20]", "bf16"},
                                                          {"blocks.0.q.weight", "[10, 20]", "bf16"},
                                                          {"norm.weight", "[20]", "bf16"},
                                                          {"norm.bias", "[20]", "bf16"},
                                                          {"", "[20]", "bf16"},  // of one of two
                                                          {"", "[19]", "bf16"}}));
}

TEST_F(LiveTables, AddUpShapesWhereTheModelGivesNoFormula) {
  for (const std::uint64_t address : {0x1000, 0x2000, 0x3000})
    alloc(address, 800, memory::Category::activation, 0, "[10, 20] fp32");
  alloc(0x4000, 4000, memory::Category::activation, 0, "[1000] fp32");
  alloc(0x5000, 1200, memory::Category::activation, 0);
  alloc(0x6000, 64, memory::Category::temporary, 0);
  const auto rows = accounting_table(log_, strings_, 5, {}, 1000).rows;
  ASSERT_EQ(rows.size(), 3U);
  EXPECT_EQ(rows[0][4], "[1000] fp32 + 3 x [10, 20] fp32 + 1,200 B");
  EXPECT_EQ(rows[1][4], "") << "nothing is known of it";
}

TEST_F(LiveTables, SayWhatIsMadeOfTheParameters) {
  alloc(0x1000, 4000, memory::Category::parameter);
  alloc(0x3000, 8000, memory::Category::optimizer_state);
  alloc(0x6000, 4, memory::Category::optimizer_state);
  alloc(0x7000, 1500, memory::Category::gradient);
  alloc(0x9000, 4000, memory::Category::input);
  spec::WorkloadSpec spec;
  const auto row = [&](const char* category) {
    for (const auto& one : accounting_table(log_, strings_, 4, spec, 1000).rows)
      if (one[0] == category) return one;
    return std::vector<std::string>(5);
  };
  EXPECT_EQ(row("parameter")[4], "1,000 x 4 B");
  EXPECT_EQ(row("optimizer_state"), (std::vector<std::string>{"optimizer_state", "2", "8004",
                                                              "0.008", "2 x 1,000 x 4 B + 4 B"}));
  EXPECT_EQ(row("gradient")[4], "") << "not all of them are there yet";
  EXPECT_EQ(row("input")[4], "") << "as large as the parameters by chance";
  EXPECT_EQ(row("total")[2], "17504");
  spec.dtype = spec::DataType::bf16;
  EXPECT_EQ(row("parameter")[4], "2 x 1,000 x 2 B");
  spec.pass = spec::Pass::full_step;
  EXPECT_EQ(row("optimizer_state")[4], "2 x 1,000 x 4 B + 4 B")
      << "fp32 moments of bf16 parameters";
  spec.optimizer_state = spec::OptimizerState::parameter;
  EXPECT_EQ(row("optimizer_state")[4], "4 x 1,000 x 2 B + 4 B");
}

}  // namespace
}  // namespace ts::report
