#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "core/predict/outlook.h"
#include "views/common/ui.h"

namespace ts::views {

// "Use flash attention"; of smaller_batch with its numbers.
std::string remedy_title(const predict::Remedy& remedy, const text::Texts& texts);
// "-59 %", a dash where there is no estimate.
std::string remedy_time(const predict::Remedy& remedy);

// In the order of the list: those that make it fit first. What needs more than now is no remedy.
// Points into `remedies`.
std::vector<const predict::Remedy*> shown_remedies(std::span<const predict::Remedy> remedies,
                                                   std::int64_t needed_now);

// What would make the step fit where the card does not hold it: each change with the memory it
// needs, beside the card's, and its time against now. Nothing while the step fits. Returns the
// settings of the change that was pressed.
std::optional<spec::WorkloadSpec> draw_remedies(const Ui& ui, const predict::Outlook& outlook);

}  // namespace ts::views
