#pragma once

#include <optional>
#include <string>
#include <vector>

#include "core/base/message.h"
#include "core/spec/workload_spec.h"
#include "core/text/numbers.h"
#include "views/common/draw_sink.h"
#include "views/common/ui.h"
#include "views/common/view_state.h"
#include "views/inspector/inspector_view.h"

namespace ts::views {

// Step time, throughput and peak of a run, and next to its peak the predicted one. The label
// identifies the run if its settings are not the current ones, if it is partial, or if another run
// is shown with it.
struct HeadlineFigure {
  const char* key;
  text::Quantity value;
};
struct HeadlineRow {
  std::string label;
  std::vector<HeadlineFigure> figures;
  bool stale = false;
};
// The run, and below it the previous one with other settings, for comparison in a lecture.
std::vector<HeadlineRow> headline_rows(const ViewContext& context);

// One of these rows, large, from the left edge of `area`. Figures without room at the right are
// left out. `label_width`: width of the widest label plus the gap after it.
void draw_headline_row(DrawSink& sink, const Theme& theme, Metrics metrics,
                       const text::Texts& texts, const HeadlineRow& row, const Rect& area,
                       float label_width);

// The line below the sentence of the head: a remark on it, or why it cannot run on the card or, if
// only the card could, on this machine.
struct HeadRemark {
  std::string words;
  bool reason = false;
  bool only_here = false;
};
HeadRemark head_remark(const ViewContext& context, const ShownVerdict& words);

// Height of the head of projector mode's page in pixels, independent of its content.
float projector_head_height(float scale);
// The verdict or why there is none. Then the figures of the last runs, or similar settings that can
// run if the current ones cannot. In the current window. Returns settings that the user wants.
std::optional<spec::WorkloadSpec> draw_projector_head(const Ui& ui, const ViewContext& context,
                                                      const base::Message& engine_problem);

}  // namespace ts::views
