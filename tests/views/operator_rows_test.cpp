#include "views/tables/operator_rows.h"

#include <gtest/gtest.h>

#include "core/text/numbers.h"
#include "tests/views/texts_for_tests.h"

namespace ts::views {
namespace {

class OperatorRows : public ::testing::Test {
 protected:
  OperatorRows() {
    for (const auto& [name, calls, self] :
         {std::tuple{"aten::mm", 5, 100}, {"aten::add", 9, 70}, {"aten::bmm", 5, 300}}) {
      stats::OperatorRow row;
      row.name = strings_.intern(name);
      row.calls = calls;
      row.self_ns = self;
      table_.rows.push_back(row);
    }
  }
  std::vector<std::string> names(std::string_view filter, std::string_view by, bool descending) {
    std::vector<std::string> found;
    for (const std::uint32_t row :
         shown_rows(table_, strings_, texts_, filter, report::operator_column(by), descending)) {
      found.push_back(row_name(table_, table_.rows[row], strings_, texts_));
    }
    return found;
  }

  base::StringTable strings_;
  text::Texts texts_ = testing::program_texts();
  stats::OperatorTable table_;
};

using Names = std::vector<std::string>;

TEST_F(OperatorRows, AreSortedByAnyColumn) {
  EXPECT_EQ(names("", "self_ms", true), (Names{"aten::bmm", "aten::mm", "aten::add"}));
  EXPECT_EQ(names("", "self_ms", false), (Names{"aten::add", "aten::mm", "aten::bmm"}));
  EXPECT_EQ(names("", "", false), (Names{"aten::add", "aten::bmm", "aten::mm"}));
  EXPECT_EQ(names("", "calls", true), (Names{"aten::add", "aten::mm", "aten::bmm"}))
      << "equal rows keep their order";
}

TEST_F(OperatorRows, AreFilteredByName) {
  EXPECT_EQ(names("MM", "", false), (Names{"aten::bmm", "aten::mm"}));
  EXPECT_TRUE(names("conv", "", false).empty());
}

TEST_F(OperatorRows, NamePhasesAndWhatHasNoModule) {
  table_.group = stats::GroupBy::phase;
  table_.rows.resize(1);
  table_.rows[0].phase = base::Phase::backward;
  EXPECT_EQ(names("", "self_ms", true), Names{texts_("timeline.phase.backward")});
  table_.group = stats::GroupBy::module;
  table_.rows[0].name = base::kNoString;
  EXPECT_EQ(names("", "self_ms", true), Names{texts_("tables.no_module")});
}

TEST_F(OperatorRows, NamesOfStacksBeginWithTheOperator) {
  table_.group = stats::GroupBy::stack;
  table_.rows.resize(1);
  table_.rows[0].phase = base::Phase::forward;
  table_.rows[0].stack = "blocks.*.attn;aten::linear;aten::addmm";
  EXPECT_EQ(names("LINEAR", "self_ms", true),
            Names{"aten::addmm < aten::linear < blocks.*.attn < " +
                  std::string(texts_("timeline.phase.forward"))});
}

TEST_F(OperatorRows, CellsSayWhatTheRowHas) {
  stats::OperatorRow row;
  row.calls = 1234;
  row.self_ns = 1'500'000;
  row.total_ns = 2'000'000;
  row.share = 0.125;
  row.total_share = 0.5;
  row.flops = 4e6;
  row.rate_ns = 2'000'000;
  row.bytes_given = 2048;
  row.shape = strings_.intern("[2, 4] fp32");
  const auto cell = [&](std::string_view key) {
    const auto& column = report::kOperatorColumns[report::operator_column(key)];
    return operator_cell(table_, row, column, strings_);
  };
  EXPECT_EQ(cell("calls"), "1,234");
  EXPECT_EQ(cell("share"), "12.5 %");
  EXPECT_EQ(cell("total_share"), "50.0 %");
  EXPECT_EQ(cell("gflops_per_s"), "2.00 GFLOP/s");
  EXPECT_EQ(cell("bytes_given"), "2.00 KiB");
  EXPECT_EQ(cell("shape"), "[2, 4] fp32");
  table_.knows_memory = true;
  EXPECT_EQ(cell("bytes_allocated"), "0 B");
  table_.knows_memory = false;
  EXPECT_EQ(cell("bytes_allocated"), text::kNoNumber) << "no allocations were recorded";
  row.bytes_given = 0;
  EXPECT_EQ(cell("bytes_given"), text::kNoNumber) << "no shapes were recorded";
  row.flops = 0;
  EXPECT_EQ(cell("gflops_per_s"), "") << "no rate where nothing is known to be computed";
}

TEST_F(OperatorRows, AreSortedByRateAndShape) {
  table_.rows[0].flops = 5e6;
  table_.rows[0].total_ns = 1000;
  table_.rows[1].shape = strings_.intern("[9]");
  EXPECT_EQ(names("", "gflops_per_s", true).front(), "aten::mm");
  EXPECT_EQ(names("", "shape", true).front(), "aten::add");
}

}  // namespace
}  // namespace ts::views
