#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "core/predict/outlook.h"
#include "views/common/draw_sink.h"
#include "views/common/ui.h"

namespace ts::views {

// "Use flash attention". For smaller_batch, with its numbers.
std::string remedy_title(const predict::Remedy& remedy, const text::Texts& texts);
// "-59 %", or a dash if there is no estimate.
std::string remedy_time(const predict::Remedy& remedy);

// Right edges of the columns of a list of `width` pixels, from its left edge, and the left edge of
// the bars, which end with the times. The heading of the times is wider than the times, so the unit
// of the needed memory stands left of it, over its numbers.
struct RemedyColumns {
  float bar = 0;
  float needed = 0;
  float time = 0;
  float unit = 0;
};
RemedyColumns remedy_columns(const DrawSink& sink, const Metrics& metrics, const text::Texts& texts,
                             float width);

// In list order: remedies that make the step fit come first. A change that needs more memory than
// now is left out. The result points into `remedies`.
std::vector<const predict::Remedy*> shown_remedies(std::span<const predict::Remedy> remedies,
                                                   std::int64_t needed_now);

// The changes that make the step fit if the card cannot hold it. Each has its memory need, the
// card's memory for comparison, and its time relative to now. Draws nothing if the step fits.
// Returns the settings of the change that was pressed.
std::optional<spec::WorkloadSpec> draw_remedies(const Ui& ui, const predict::Outlook& outlook);

}  // namespace ts::views
