#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "views/common/ui.h"
#include "views/common/view_state.h"

namespace ts::views {

// One line of the table of peaks, in bytes.
struct PeakRow {
  std::string label;
  std::optional<std::int64_t> predicted;
  std::optional<std::int64_t> measured;
  bool part = false;  // of what the row above it is about
};

// Allocated where the run happened, predicted against measured; then what the target card would
// hold: allocated, reserved, and with the CUDA context. Empty without a prediction.
std::vector<PeakRow> peak_table(const ViewContext& context);

// "Scratch inside kernels: 0 B to 1.00 MiB more", of the target card; empty where there is none.
std::string scratch_words(const ViewContext& context);

// Label, predicted, measured, error; one unit, named below, for all that are not far smaller.
void draw_peak_table(const Ui& ui, const ViewContext& context);

}  // namespace ts::views
