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

// One line of the table of what is needed, in bytes.
struct PeakRow {
  enum class Kind : std::uint8_t {
    place,  // names whose numbers follow; has none
    term,   // a link of the chain
    sum,    // of the terms above it
    part,   // of the sum above it, and no link
    rest,   // what the device has beyond the last sum, or lacks
  };
  Kind kind = Kind::term;
  std::string label;
  std::optional<std::int64_t> predicted;
  std::optional<std::int64_t> measured;
  std::string hint;  // what the link is
};

// The tensors where the run happened, predicted against measured; then the chain of what the target
// needs, link by link: tensors + rounding + workspaces = allocated, + cached = reserved, + CUDA
// context = needed, and what is to spare. Links of 0 bytes are left out. Empty without a
// prediction.
std::vector<PeakRow> peak_table(const ViewContext& context);

// "Scratch inside kernels: 0 B to 1.00 MiB more", of the target card; empty where there is none.
std::string scratch_words(const ViewContext& context);

// What a run on the CPU may take less than predicted; empty where it is predicted to the byte.
std::string apart_words(const ViewContext& context);

// Where the columns of the table end, from its left edge on; `stacked`: it is too narrow for names
// beside three columns, and what was measured stands below what was predicted.
struct PeakColumns {
  float predicted = 0, measured = 0, error = 0;
  bool stacked = false;
};
PeakColumns peak_columns(const DrawSink& sink, Metrics metrics, const std::vector<PeakRow>& rows,
                         float width);

// Label, predicted, measured, error; one unit, named below, for all that are not far smaller. Over
// the chain its terms as one bar.
void draw_peak_table(const Ui& ui, const ViewContext& context);

}  // namespace ts::views
