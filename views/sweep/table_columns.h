#pragma once

#include <span>
#include <string>
#include <utility>
#include <vector>

#include "views/common/draw_sink.h"
#include "views/common/theme.h"

namespace ts::views {

// The widths of the columns of a table, in pixels with the gap behind; 0: left out.
struct TableColumns {
  std::vector<float> widths;
  bool tall = false;  // headings have two lines
};

// The worth of a column that is not wanted at all.
inline constexpr int kLeftOut = -1;

// Columns are as wide as their content. Spare room is shared, half of it for the last one, which
// may hold sentences. If there is too little room, headings take two lines, then the columns of the
// lowest `worth` are left out; 0 always stays.
TableColumns table_columns(const DrawSink& sink, Metrics metrics,
                           const std::vector<std::string>& header,
                           const std::vector<std::vector<std::string>>& rows,
                           std::span<const int> worth, float width);

// A heading in two lines, broken at the space nearest to its middle; the second may be empty.
std::pair<std::string, std::string> two_lines(const std::string& words);

}  // namespace ts::views
