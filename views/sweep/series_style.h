#pragma once

#include <vector>

#include "core/sweep/sweep.h"
#include "views/common/marks.h"
#include "views/common/theme.h"

namespace ts::views {

// How a series looks in every panel and list: never by its colour alone.
using SeriesStyle = MarkStyle;
// Backends have the colours and marks they have everywhere; other series take them in turn.
std::vector<SeriesStyle> series_styles(const sweep::Sweep& sweep, ThemeKind theme);

// The same for every curve of curves_of(): with one series over two axes the second value tells the
// curves apart.
std::vector<SeriesStyle> curve_styles(const sweep::Sweep& sweep, ThemeKind theme);

}  // namespace ts::views
