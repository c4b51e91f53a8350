#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/stats/trace_difference.h"
#include "views/common/ui.h"
#include "views/common/view_state.h"
#include "views/snapshot/other_choice.h"
#include "views/snapshot/row_table.h"

namespace ts::views {

// The trace on screen against another open one: kernels, operators or modules that take longer,
// take less, are new or gone, as a table with bars. A click on a row looks for its slices in the
// timeline. In the current window. UI thread; rows are made when the question changes.
class TraceDifferenceView {
 public:
  TraceDifferenceView();
  void draw(const Ui& ui, ViewContext& context);
  // The file to compare with, as soon as it is open.
  void choose(std::string path) { choice_.choose(std::move(path)); }

 private:
  void draw_head(const Ui& ui, const ViewContext& context, const OtherRecording* other);
  void update(const ViewContext& context, const OtherRecording& other);
  void draw_table(const Ui& ui, ViewContext& context);
  [[nodiscard]] std::string sentence(const Ui& ui, const OtherRecording& other) const;

  OtherChoice choice_;
  stats::DifferenceBy by_ = stats::DifferenceBy::op;

  // The input of the rows.
  struct Question {
    std::uint64_t shown = 0;
    std::uint64_t other = 0;
    stats::DifferenceBy by = stats::DifferenceBy::op;
    friend bool operator==(const Question&, const Question&) = default;
  };
  Question asked_;
  std::uint64_t version_ = 0;
  std::vector<stats::DifferenceRow> rows_;  // a: the other, b: the shown
  std::int64_t largest_ns_ = 0;             // difference of a row, without its sign
  RowTable table_;
};

}  // namespace ts::views
