#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "core/report/operator_report.h"
#include "core/text/text.h"

namespace ts::views {

// "12.5 %", "3.10 GiB"; what is not known has a dash.
std::string shown_number(text::ColumnUnit unit, double number);

// The text of a cell, but for the name of the row; empty if there is nothing to show.
std::string operator_cell(const stats::OperatorTable& table, const stats::OperatorRow& row,
                          const report::OperatorColumn& column, const base::StringTable& strings);

// The shown rows: those whose name contains `filter` (ASCII case ignored), sorted by a column of
// report::kOperatorColumns. Equal rows keep the order of the table, so that sorting by one column
// after another works.
std::vector<std::uint32_t> shown_rows(const stats::OperatorTable& table,
                                      const base::StringTable& strings, const text::Texts& texts,
                                      std::string_view filter, std::size_t by, bool descending);

// The displayed name of a row: a phase in the user's language; operators outside every module have
// a name for that. By stack: the operator first, then what is around it, then the phase.
std::string row_name(const stats::OperatorTable& table, const stats::OperatorRow& row,
                     const base::StringTable& strings, const text::Texts& texts);

}  // namespace ts::views
