#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "views/charts/kernel_figures.h"
#include "views/common/ui.h"
#include "views/common/view_state.h"

namespace ts::views {

// The inspector panel: verdict, figures of the run and of its GPUs, and the selection, in the
// current Dear ImGui window. Its Copy button and Ctrl+C over it copy what it shows, tab separated.
class InspectorView {
 public:
  // `engine_problem`: why nothing can run, empty when it can. Returns settings that the user wants
  // to try.
  std::optional<run::WorkloadSpec> draw(const Ui& ui, const ViewContext& context,
                                        const std::string& engine_problem);

 private:
  enum class Tab : std::uint8_t { slice, allocation };
  void draw_selection(const Ui& ui, const ViewContext& context);
  void draw_gpu(const Ui& ui, const ViewContext& context);
  [[nodiscard]] std::string shown_as_text(const ViewContext& context);
  KernelFigures kernels_;
  Tab tab_ = Tab::slice;
  std::optional<trace::SliceRef> last_slice_;
  std::optional<memory::BlockIndex> last_block_;
};

// Icon, sentence and remark of the verdict, as large as there is room; also projector mode's.
void draw_verdict(const Ui& ui, const ViewContext& context, const std::string& engine_problem);

// Step time, throughput and peak in a row, large: projector mode.
void draw_headline_figures(const Ui& ui, const ViewContext& context);

}  // namespace ts::views
