#pragma once

#include <span>
#include <string>
#include <utility>
#include <vector>

#include "views/common/draw_sink.h"
#include "views/common/theme.h"

namespace ts::views {

// How wide the columns of a table are, in pixels with the gap behind; 0: left out.
struct TableColumns {
  std::vector<float> widths;
  bool tall = false;  // headings in two lines
};

// As wide as what stands in them; room that is left is shared, half of it to the last one, which
// may hold sentences. Where there is too little room headings take two lines, then columns are left
// out, those of the least `worth` first; 0 stays whatever there is.
TableColumns table_columns(const DrawSink& sink, Metrics metrics,
                           const std::vector<std::string>& header,
                           const std::vector<std::vector<std::string>>& rows,
                           std::span<const int> worth, float width);

// A heading in two lines, broken at the space nearest to its middle; the second may be empty.
std::pair<std::string, std::string> two_lines(const std::string& words);

}  // namespace ts::views
