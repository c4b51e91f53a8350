#pragma once

#include <string>
#include <vector>

#include "core/text/numbers.h"
#include "views/common/view_state.h"

namespace ts::views {

// One line of a table for people, and of what Ctrl+C copies.
struct InspectorRow {
  std::string label;
  text::Quantity value;    // an en dash when it was not measured
  std::string about = {};  // why, or what it means: shown while the mouse rests on it
};

// The run's figures, in the order of the design. Empty without a run.
std::vector<InspectorRow> run_rows(const ViewContext& context);
// Peak memory by category, largest use first as the stack has them, and the total last.
struct CategoryRow {
  memory::Category category = memory::Category::unknown;
  std::string label;
  std::int64_t bytes = 0;
};
std::vector<CategoryRow> peak_rows(const ViewContext& context);
// The selected slice, or allocation; empty without a selection.
std::vector<InspectorRow> slice_rows(const ViewContext& context);
std::vector<InspectorRow> block_rows(const ViewContext& context);

// Tab-separated, one row a line: what a spreadsheet takes.
std::string to_tsv(const std::vector<InspectorRow>& rows);

}  // namespace ts::views
