#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/blocks/block_difference.h"
#include "views/charts/memory_overlay.h"
#include "views/common/ui.h"
#include "views/common/view_state.h"
#include "views/snapshot/other_choice.h"
#include "views/snapshot/row_table.h"

namespace ts::views {

// The shown snapshot against another open one: what is alive at the peak, or at the end, in one and
// not in the other, as a table by stack and size, and both timelines on one scale. A click on a row
// picks its blocks in both. In the current window. UI thread.
class DifferenceView {
 public:
  DifferenceView();
  void draw(const Ui& ui, ViewContext& context);
  // The file to compare with, as soon as it is open.
  void choose(std::string path) { choice_.choose(std::move(path)); }

 private:
  [[nodiscard]] const OtherRecording* other_of(const ViewContext& context);
  void draw_head(const Ui& ui, const ViewContext& context, const OtherRecording* other);
  void update(const ViewContext& context, const OtherRecording& other);
  void draw_table(const Ui& ui, ViewContext& context, const OtherRecording& other);
  [[nodiscard]] std::string sentence(const ViewContext& context, const OtherRecording& other) const;

  OtherChoice choice_;
  std::uint64_t shown_ = 0;  // the device on screen
  bool at_end_ = false;

  // The input of the rows.
  struct Question {
    std::uint64_t shown = 0;
    std::uint64_t other = 0;
    bool at_end = false;
    friend bool operator==(const Question&, const Question&) = default;
  };
  Question asked_;
  std::uint64_t version_ = 0;
  std::vector<blocks::BlockDifference> rows_;  // a: the other, b: the shown
  std::int64_t more_ = 0;                      // bytes of the rows in which the shown has more
  std::int64_t less_ = 0;
  std::optional<std::size_t> chosen_;
  RowTable table_;
  OverlayCurves curves_;
};

}  // namespace ts::views
