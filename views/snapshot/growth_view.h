#pragma once

#include <cstdint>
#include <optional>

#include "views/common/ui.h"
#include "views/common/view_state.h"
#include "views/snapshot/row_table.h"

namespace ts::views {

// The memory of the shown snapshot that grows from step to step, by stack. A click on a row picks
// the blocks of that stack that are alive after the last whole step. In the current window. UI
// thread.
class GrowthView {
 public:
  void draw(const Ui& ui, ViewContext& context);

 private:
  void update(const ViewContext& context);

  std::uint64_t shown_ = 0;  // the device
  std::uint64_t version_ = 0;
  std::optional<std::size_t> chosen_;
  std::size_t menu_row_ = 0;
  RowTable table_;
};

}  // namespace ts::views
