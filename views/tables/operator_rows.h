#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "core/stats/operator_table.h"
#include "core/text/text.h"

namespace ts::views {

enum class OperatorColumn : std::uint8_t {
  name,
  calls,
  self,
  share,
  total,
  total_share,
  average,
  p50,
  p90,
  flops,  // a second
  given,
  bytes,
  shapes,
  shape
};
inline constexpr int kOperatorColumns = 14;

// The text of a cell; empty if there is nothing to show.
std::string operator_cell(const stats::OperatorTable& table, const stats::OperatorRow& row,
                          OperatorColumn column, const base::StringTable& strings);

// The shown rows: those whose name contains `filter` (ASCII case ignored), sorted. Equal rows keep
// the order of the table, so that sorting by one column after another works.
std::vector<std::uint32_t> shown_rows(const stats::OperatorTable& table,
                                      const base::StringTable& strings, const text::Texts& texts,
                                      std::string_view filter, OperatorColumn by, bool descending);

// The displayed name of a row: a phase in the user's language; operators outside every module have
// a name for that. By stack: the operator first, then what is around it, then the phase.
std::string row_name(const stats::OperatorTable& table, const stats::OperatorRow& row,
                     const base::StringTable& strings, const text::Texts& texts);

}  // namespace ts::views
