#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/result.h"
#include "core/stats/operator_table.h"
#include "views/common/ui.h"
#include "views/common/view_state.h"
#include "views/tables/kernels_view.h"
#include "views/tables/module_tree_view.h"
#include "views/tables/operator_rows.h"

namespace ts::views {

// The tabs of the table: each of stats::GroupBy, or the module tree.
enum class OperatorsTab : std::uint8_t { op, op_and_shape, module, phase, stack, kernel, tree };

// "operators", "shapes", "modules", "phases", "stacks", "kernels" or "tree".
base::Result<OperatorsTab> operators_tab_from_name(std::string_view name);

// The table of recorded operators in the current Dear ImGui window; sorted by a click on a heading,
// filtered by name, copied as text. While a range is marked it has what begins in it, but for the
// tree. Below it the shares of matmul, softmax and so on in each phase.
// UI thread.
class OperatorsView {
 public:
  // A click changes the tab, and so does a run that has nothing to show in it.
  void draw(const Ui& ui, const ViewContext& context, OperatorsTab& tab);

 private:
  void update(const ViewContext& context, OperatorsTab& tab);
  void draw_heading(const Ui& ui, const ViewContext& context, OperatorsTab& tab);
  void draw_copying(const Ui& ui, const ViewContext& context, OperatorsTab tab);
  void draw_table(const Ui& ui, const ViewContext& context, float height);
  void draw_shares(const Ui& ui) const;

  // The inputs of the current table.
  std::uint64_t run_id_ = 0;
  std::uint64_t slices_ = 0;
  bool made_ = false;
  std::int64_t made_ns_ = 0;
  OperatorsTab made_tab_ = OperatorsTab::op;
  std::optional<base::TimeRange> range_;

  ModuleTreeView tree_;
  KernelsView kernels_;
  stats::OperatorTable table_;
  std::vector<std::uint32_t> rows_;
  std::size_t sort_by_ = report::kSelfTimeColumn;
  bool descending_ = true;
  std::string filter_;
};

}  // namespace ts::views
