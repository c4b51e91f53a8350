#pragma once

#include <string>

#include "core/sweep/point_profile.h"
#include "views/common/ui.h"

namespace ts::views {

// Two points of a sweep side by side: headlines, then one of the lists of differences, by name, the
// greatest first.
struct ComparisonPage {
  sweep::ProfileComparison comparison;
  std::string first, second;  // places: "naive, T = 512"
  int list = 0;               // which one is shown
};

// Draws in the current window. Returns the text for the clipboard when "copy" was pressed, else an
// empty one.
std::string draw_comparison(const Ui& ui, ComparisonPage& page);

}  // namespace ts::views
