#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "core/stats/operator_table.h"
#include "views/common/ui.h"
#include "views/common/view_state.h"
#include "views/tables/kernels_view.h"
#include "views/tables/module_tree_view.h"
#include "views/tables/operator_rows.h"

namespace ts::views {

// The table of recorded operators in the current Dear ImGui window: grouped by operator, shapes,
// module, phase, stack or kernel, or the module tree; sorted by a click on a heading, filtered by
// name, copied as text. Below it the shares of matmul, softmax and so on in each phase. UI thread.
class OperatorsView {
 public:
  void draw(const Ui& ui, const ViewContext& context);

 private:
  [[nodiscard]] bool shows_kernels() const {
    return !shows_tree_ && group_ == stats::GroupBy::kernel;
  }
  void update(const ViewContext& context);
  void draw_heading(const Ui& ui, const ViewContext& context);
  void draw_table(const Ui& ui, const ViewContext& context, float height);
  void draw_shares(const Ui& ui) const;

  // What the table was made from.
  std::uint64_t run_id_ = 0;
  std::uint64_t slices_ = 0;
  bool made_ = false;
  std::int64_t made_ns_ = 0;
  stats::GroupBy made_group_ = stats::GroupBy::op;

  stats::GroupBy group_ = stats::GroupBy::op;
  bool shows_tree_ = false;
  bool made_tree_ = false;
  ModuleTreeView tree_;
  KernelsView kernels_;
  stats::OperatorTable table_;
  std::vector<std::uint32_t> rows_;
  OperatorColumn sort_by_ = OperatorColumn::self;
  bool descending_ = true;
  std::array<char, 128> filter_{};
};

}  // namespace ts::views
