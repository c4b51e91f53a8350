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
             std::int32_t step = -1) {
    memory::Record one = record(memory::Action::alloc, address);
    one.size = bytes;
    one.op = strings_.intern("aten::empty");
    one.module = strings_.intern("blocks.0");
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
  EXPECT_EQ(table.rows[0], (std::vector<std::string>{"1048576", "1.000", "input", "aten::empty",
                                                     "blocks.0", "setup", "2"}));
  EXPECT_EQ(table.rows[1][0], "4000");
  EXPECT_EQ(table.rows[1][6], "") << "before the first step";
  EXPECT_EQ(live_table(log_, strings_, 2).rows.size(), 3U);
  EXPECT_TRUE(live_table(log_, strings_, memory::kNone).rows.empty());
}

TEST_F(LiveTables, SayWhatIsMadeOfTheParameters) {
  alloc(0x1000, 4000, memory::Category::parameter);
  alloc(0x3000, 8000, memory::Category::optimizer_state);
  alloc(0x6000, 4, memory::Category::optimizer_state);
  alloc(0x7000, 1500, memory::Category::gradient);
  alloc(0x9000, 4000, memory::Category::input);
  spec::WorkloadSpec spec;
  const auto row = [&](const char* category) {
    for (const auto& one : accounting_table(log_, 4, spec, 1000).rows)
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
