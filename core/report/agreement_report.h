#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "core/io/text_table.h"
#include "core/memory/log_comparison.h"

namespace ts::report {

// The two compared logs; names in `strings`. Holds references only.
struct ComparedLogs {
  const memory::AllocationLog& predicted;
  const memory::AllocationLog& measured;
  const base::StringTable& strings;
};

// Bytes of one category, each log at its own peak.
struct CategoryAgreement {
  memory::Category category = memory::Category::unknown;
  std::int64_t predicted = 0;
  std::int64_t measured = 0;
};
// The categories that occur in either log, in the order of the stack.
std::vector<CategoryAgreement> categories_at_peaks(const ComparedLogs& logs);

// A column of their table, in files and in the window.
struct CategoryColumn {
  const char* title;    // in files
  const char* heading;  // in the window: a key of the locale files
  std::int64_t (*bytes)(const CategoryAgreement& row) = nullptr;  // null: name and error
  bool difference = false;                                        // has a sign
};
inline constexpr auto kCategoryColumns = std::to_array<CategoryColumn>({
    {"category", "agreement.category"},
    {"predicted B", "inspector.peaks.predicted",
     [](const CategoryAgreement& row) { return row.predicted; }},
    {"measured B", "inspector.peaks.measured",
     [](const CategoryAgreement& row) { return row.measured; }},
    {"difference B", "agreement.difference",
     [](const CategoryAgreement& row) { return row.predicted - row.measured; }, true},
    {"error %", "inspector.peaks.error"},
});

// Category, predicted, measured and difference in bytes, error in percent; the total last.
io::TextTable category_text(const std::vector<CategoryAgreement>& rows);

// Pairs of events with step, phase and both sides; bytes. `all`: includes pairs that agree.
io::TextTable event_text(const memory::LogComparison& comparison, const ComparedLogs& logs,
                         bool all);

const char* to_string(memory::Agreement value);    // same changed only_predicted only_measured
const char* to_string(memory::Explanation value);  // "" thread_scratch cast_order

// The phase in which an event happened; null outside all phases.
const memory::PhaseSpan* phase_of(const memory::AllocationLog& log, memory::EventIndex event);

}  // namespace ts::report
