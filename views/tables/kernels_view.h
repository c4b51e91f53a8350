#pragma once

#include <optional>
#include <string_view>
#include <vector>

#include "core/stats/kernel_table.h"
#include "views/charts/kernel_figures.h"
#include "views/common/ui.h"
#include "views/common/view_state.h"

namespace ts::views {

// The table of kernels in the current Dear ImGui window: how often, how long, how launched, the
// theoretical occupancy on the card, and what their operators computed. Shows a sentence if no GPU
// was recorded. UI thread.
class KernelsView {
 public:
  // Kernels whose name or operator contains `filter`; with a range those that begin in it.
  void draw(const Ui& ui, const ViewContext& context, std::optional<base::TimeRange> range,
            std::string_view filter, float height);
  // The shown rows, for copying.
  [[nodiscard]] const stats::KernelTable& shown() const { return shown_; }

 private:
  KernelFigures figures_;
  stats::KernelTable shown_;
};

// The rows that contain `filter`, in their order.
std::vector<stats::KernelRow> filtered(const stats::KernelTable& table,
                                       const base::StringTable& strings, std::string_view filter);

}  // namespace ts::views
