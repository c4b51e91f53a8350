#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/base/message.h"
#include "core/predict/hunt_progress.h"
#include "core/text/text.h"
#include "views/charts/one_unit.h"

namespace ts::views {

// The unit of every number of a hunt: in the cells of its map and in the lists beside it.
OneUnit hunt_unit(const predict::HuntMap& map, std::int64_t memory);
// A size in that unit, or in a larger one from 10,000 up, as in the reason beside it.
std::string hunt_size(const OneUnit& unit, std::int64_t bytes);

// The reason of a probe with its numbers first, without the card and the bytes, which are shown
// beside it.
std::string short_reason(const text::Texts& texts, const base::Message& reason);

// A probe of the exact edge in words.
struct BisectionRow {
  std::int64_t value = 0;  // of the first axis
  predict::Fit fit = predict::Fit::fits;
  std::string size;                  // needed
  std::vector<std::string> reasons;  // from the longest to the shortest
};
// The probes of the exact edge in the map's row `y`, in search order; empty if it is not known yet,
// or is that of another row.
std::vector<BisectionRow> bisection_rows(const predict::HuntProgress& hunt, std::int64_t y,
                                         const text::Texts& texts);
// True while the search runs.
bool bisection_awaited(const predict::HuntProgress& hunt, std::int64_t y);

// "LM, flash, bf16, full step": the most important settings of a map.
std::string hunt_settings(const predict::HuntProgress& hunt, const text::Texts& texts);
// The progress and the duration of a hunt; the reason why it ended if a probe failed.
std::string hunt_state(const predict::HuntProgress& hunt, const text::Texts& texts);

}  // namespace ts::views
