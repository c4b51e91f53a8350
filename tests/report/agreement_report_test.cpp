#include "core/report/agreement_report.h"

#include <gtest/gtest.h>

namespace ts::report {
namespace {

// Two blocks in a forward; the second as large as is said.
memory::AllocationLog log_of(base::StringTable& strings, std::int64_t second) {
  memory::AllocationLog log;
  std::int64_t now = 0;
  const auto put = [&](memory::Record record) {
    record.time_ns = ++now;
    record.step = 0;
    record.phase = base::Phase::forward;
    log.append(record);
  };
  memory::Record mark;
  mark.action = memory::Action::phase_begin;
  put(mark);
  for (const std::int64_t size : {std::int64_t{1024}, second}) {
    memory::Record record;
    record.action = memory::Action::alloc;
    record.address = static_cast<std::uint64_t>(size);
    record.size = size;
    record.op = strings.intern("aten::mm");
    record.module = strings.intern("blocks.0");
    put(record);
  }
  mark.action = memory::Action::owner;
  mark.address = 1024;
  mark.category = memory::Category::parameter;
  put(mark);
  mark.action = memory::Action::phase_end;
  put(mark);
  return log;
}

TEST(AgreementReport, CategoriesAddUpToThePeaks) {
  base::StringTable strings;
  const auto predicted = log_of(strings, 3000), measured = log_of(strings, 4000);
  const ComparedLogs logs{predicted, measured, strings};
  const auto rows = categories_at_peaks(logs);
  std::int64_t was = 0, is = 0;
  for (const CategoryAgreement& row : rows) {
    was += row.predicted;
    is += row.measured;
  }
  EXPECT_EQ(was, predicted.peak_bytes());
  EXPECT_EQ(is, measured.peak_bytes());
  ASSERT_FALSE(rows.empty());
  EXPECT_EQ(rows[0].category, memory::Category::parameter);
  EXPECT_EQ(rows[0].predicted, 1024);
  const io::TextTable text = category_text(rows);
  EXPECT_EQ(text.rows.back(),
            (std::vector<std::string>{"total", "4024", "5024", "-1000", "-19.9045"}));
}

TEST(AgreementReport, EventsHaveBothSides) {
  base::StringTable strings;
  const auto predicted = log_of(strings, 3000), measured = log_of(strings, 4000);
  const ComparedLogs logs{predicted, measured, strings};
  const auto comparison = memory::compare_logs(predicted, measured, strings);
  const io::TextTable some = event_text(comparison, logs, false);
  ASSERT_EQ(some.rows.size(), 1U);
  EXPECT_EQ(some.rows[0].size(), some.columns.size());
  EXPECT_EQ(some.rows[0], (std::vector<std::string>{"1", "forward", "changed", "2", "alloc", "3000",
                                                    "aten::mm", "blocks.0", "2", "alloc", "4000",
                                                    "aten::mm", "blocks.0", ""}));
  EXPECT_EQ(event_text(comparison, logs, true).rows.size(), 2U);
}

TEST(AgreementReport, AnEventIsInAPhaseOrInNone) {
  base::StringTable strings;
  const auto log = log_of(strings, 3000);
  ASSERT_NE(phase_of(log, 1), nullptr);
  EXPECT_EQ(phase_of(log, 1)->phase, base::Phase::forward);
  EXPECT_EQ(phase_of(memory::AllocationLog(), 0), nullptr);
}

}  // namespace
}  // namespace ts::report
