#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "views/common/draw_sink.h"
#include "views/common/theme.h"
#include "views/common/ui.h"
#include "views/common/view_state.h"

namespace ts::views {

// One line of the table of memory needs, in bytes.
struct PeakRow {
  enum class Kind : std::uint8_t {
    place,  // a heading for the rows below it; no numbers
    term,   // a link of the chain
    sum,    // of the terms above it
    part,   // part of the sum above it, not a link
    rest,   // the spare memory of the device after the last sum, or what is missing
  };
  Kind kind = Kind::term;
  std::string label;
  std::optional<std::int64_t> predicted;
  std::optional<std::int64_t> measured = {};
  std::string hint;  // explanation of the link
};

// The tensors where the run happened, predicted against measured. Then the chain of the target's
// needs, link by link: tensors + rounding + workspaces = allocated, + cached = reserved, + CUDA
// context = needed, and the spare memory. Links of 0 bytes are left out. Empty without a
// prediction.
std::vector<PeakRow> peak_table(const ViewContext& context);

// "Scratch inside kernels: 0 B to 1.00 MiB more", for the target card. Empty if there is none.
std::string scratch_text(const ViewContext& context);

// How much less a run on the CPU may use than predicted. Empty if the prediction is exact to the
// byte.
std::string apart_text(const ViewContext& context);
// "The blocks of torch 2.15 on CUDA ..."; empty where the prediction follows what was compared with
// a card.
std::string unchecked_text(const ViewContext& context);

// The right ends of the table columns, from its left edge. `stacked`: too narrow for names beside
// three columns, so the measured value is below the predicted one.
struct PeakColumns {
  float predicted = 0, measured = 0, error = 0;
  bool stacked = false;
};
PeakColumns peak_columns(const DrawSink& sink, Metrics metrics, const std::vector<PeakRow>& rows,
                         float width);

// Label, predicted, measured, error. One unit, named below, for all that are not far smaller. Above
// the chain, its terms as one bar.
void draw_peak_table(const Ui& ui, const ViewContext& context);

}  // namespace ts::views
