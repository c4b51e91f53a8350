#include "views/charts/launch_text.h"

#include "core/text/numbers.h"

namespace ts::views {

std::string extent_text(const std::array<std::int32_t, 3>& of) {
  std::string words = std::to_string(of[0]);
  if (of[1] > 1 || of[2] > 1) words += "\xc3\x97" + std::to_string(of[1]);
  if (of[2] > 1) words += "\xc3\x97" + std::to_string(of[2]);
  return words;
}

std::string occupancy_text(const text::Texts& texts, const stats::Occupancy& occupancy) {
  return text::decimal(occupancy.share * 100, 0) + " %, " +
         texts(std::string("tables.bound.") + to_string(occupancy.limit));
}

}  // namespace ts::views
