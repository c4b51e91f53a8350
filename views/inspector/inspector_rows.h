#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "core/text/numbers.h"
#include "views/common/view_state.h"

namespace ts::views {

// One line of a table, for display and for Ctrl+C.
struct InspectorRow {
  std::string label;
  text::Quantity value;    // an en dash when it was not measured
  std::string about = {};  // tooltip: why, or what it means
  // The value needs a caution: it gets a warning sign, and `about` is shown below it.
  bool warn = false;
  std::string_view term = {};  // glossary term of the label; empty: none
};

// The tooltip of a row: first the remark on its value, then the meaning of its term.
std::string row_tip(const text::Texts& texts, const InspectorRow& row);

// The source of run_rows() if they are not of a complete run of the current settings: "Of naive, T
// = 512", "Partial: the run goes on". Else empty.
std::string standing_text(const ViewContext& context);
// The same for the card of the selected slice or the selected block. Empty if it belongs to the
// current settings.
std::string card_standing(const ViewContext& context, bool of_block);

// The run's figures, in the order of the design. Empty without a run.
std::vector<InspectorRow> run_rows(const ViewContext& context);
// The types in which a step computes on the card of the prediction. After a run of the current
// settings on the CPU only those that differ from the run's, each with a caution. Empty where all
// parts have one type.
std::vector<InspectorRow> card_type_rows(const ViewContext& context);
// Peak memory by category, largest use first as in the stack, then the total.
struct CategoryRow {
  memory::Category category = memory::Category::unknown;
  std::string label;
  std::int64_t bytes = 0;
};
std::vector<CategoryRow> peak_rows(const ViewContext& context);
// The settings of a prediction, if they are not the current ones; else empty.
std::string peak_standing(const ViewContext& context);
// The heading of those rows and the name of their sum. For an incomplete run they count the tensors
// alive so far, not those of the whole step that a prediction has.
struct PeakNames {
  std::string heading, total;
};
PeakNames peak_names(const ViewContext& context);
// The rows of the selected slice or allocation. Empty without a selection.
std::vector<InspectorRow> slice_rows(const ViewContext& context);
std::vector<InspectorRow> block_rows(const ViewContext& context);

// Tab-separated, one row per line, for a spreadsheet.
std::string to_tsv(const std::vector<InspectorRow>& rows);

}  // namespace ts::views
