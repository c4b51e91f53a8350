#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "core/text/numbers.h"
#include "views/common/view_state.h"

namespace ts::views {

// One line of a table for people, and of what Ctrl+C copies.
struct InspectorRow {
  std::string label;
  text::Quantity value;    // an en dash when it was not measured
  std::string about = {};  // why, or what it means: shown while the mouse rests on it
  // The value is not to be taken as it stands: it gets a warning sign, and `about` stands below it.
  bool warn = false;
  std::string_view term = {};  // of the glossary, that the label speaks of; empty: none
};

// What is shown while the mouse rests on a row: what it says of its value, then what its term
// means.
std::string row_tip(const text::Texts& texts, const InspectorRow& row);

// Whose figures run_rows() are, where they are not of a whole run of the settings as they are:
// "Of naive, T = 512", "Partial: the run goes on". Else empty.
std::string standing_words(const ViewContext& context);
// Whose the card of the selected slice is, or of the selected block; empty where it is of the
// settings as they are.
std::string card_standing(const ViewContext& context, bool of_block);

// The run's figures, in the order of the design. Empty without a run.
std::vector<InspectorRow> run_rows(const ViewContext& context);
// Peak memory by category, largest use first as the stack has them, and the total last.
struct CategoryRow {
  memory::Category category = memory::Category::unknown;
  std::string label;
  std::int64_t bytes = 0;
};
std::vector<CategoryRow> peak_rows(const ViewContext& context);
// What those rows are of and what their sum is: of a run that has not come to its end the tensors
// that lived, which are not those of the whole step that a prediction has.
struct PeakNames {
  std::string heading, total;
};
PeakNames peak_names(const ViewContext& context);
// The selected slice, or allocation; empty without a selection.
std::vector<InspectorRow> slice_rows(const ViewContext& context);
std::vector<InspectorRow> block_rows(const ViewContext& context);

// Tab-separated, one row a line: what a spreadsheet takes.
std::string to_tsv(const std::vector<InspectorRow>& rows);

}  // namespace ts::views
