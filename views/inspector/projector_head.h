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

// Step time, throughput and peak of a run, and beside its peak what was predicted. Where the
// settings are no longer its, or it is partial, or another is beside it, the label says which it
// is.
struct HeadlineFigure {
  const char* key;
  text::Quantity value;
};
struct HeadlineRow {
  std::string label;
  std::vector<HeadlineFigure> figures;
  bool stale = false;
};
// The run, and below it the one before with other settings: what a lecture compares.
std::vector<HeadlineRow> headline_rows(const ViewContext& context);

// One of these rows, large, from `area`'s left edge on; figures that there is no room for at the
// right are left out. `label_width`: of the widest label, with the gap behind.
void draw_headline_row(DrawSink& sink, const Theme& theme, Metrics metrics,
                       const text::Texts& texts, const HeadlineRow& row, const Rect& area,
                       float label_width);

// Under the sentence of the head: what is to be known of it, or why it cannot run: on the card, or,
// where the card could, on this machine.
struct HeadRemark {
  std::string words;
  bool reason = false;
  bool only_here = false;
};
HeadRemark head_remark(const ViewContext& context, const VerdictWords& words);

// Pixels of the head of projector mode's page, whatever it says.
float projector_head_height(float scale);
// The verdict or why there is none, then the figures of the last runs, or settings close to these
// that can run where these cannot; in the current window. Returns settings that the user wants.
std::optional<spec::WorkloadSpec> draw_projector_head(const Ui& ui, const ViewContext& context,
                                                      const base::Message& engine_problem);

}  // namespace ts::views
