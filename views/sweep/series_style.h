#pragma once

#include <vector>

#include "core/sweep/sweep.h"
#include "views/common/marks.h"
#include "views/common/theme.h"

namespace ts::views {

// The look of a series in every panel and list: never by its colour alone.
using SeriesStyle = MarkStyle;
// Backends have the same colours and marks everywhere; other series take them in turn.
std::vector<SeriesStyle> series_styles(const sweep::Sweep& sweep, ThemeKind theme);

// The same for every curve of curves_of(): with one series over two axes the second value
// distinguishes the curves.
std::vector<SeriesStyle> curve_styles(const sweep::Sweep& sweep, ThemeKind theme);

}  // namespace ts::views
