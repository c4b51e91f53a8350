#pragma once

#include <algorithm>

namespace ts::views {

// Where the field of a search and the count of its hits are, in a row that may be narrow.
struct SearchRow {
  float field = 0;     // width
  bool below = false;  // the count has a row of its own
};

// `room` is the rest of the row, `count` the width of the count with the gap before it; 0: there is
// none. The count is never cut: the field becomes narrower, at most to `least`, before the count
// goes below it.
inline SearchRow search_row(float room, float widest, float least, float count) {
  const float beside = room - count;
  if (count <= 0 || beside >= std::min(least, widest))
    return {.field = std::clamp(beside, 1.0F, widest)};
  return {.field = std::clamp(room, 1.0F, widest), .below = true};
}

}  // namespace ts::views
