#include "views/charts/launch_words.h"

#include "core/text/numbers.h"

namespace ts::views {
namespace {

const char* key_of(stats::OccupancyLimit limit) {
  switch (limit) {
    case stats::OccupancyLimit::warps:
      return "tables.bound.warps";
    case stats::OccupancyLimit::blocks:
      return "tables.bound.blocks";
    case stats::OccupancyLimit::registers:
      return "tables.bound.registers";
    case stats::OccupancyLimit::shared_memory:
      break;
  }
  return "tables.bound.shared_memory";
}

}  // namespace

std::string extent_words(const std::array<std::int32_t, 3>& of) {
  std::string words = std::to_string(of[0]);
  if (of[1] > 1 || of[2] > 1) words += "\xc3\x97" + std::to_string(of[1]);
  if (of[2] > 1) words += "\xc3\x97" + std::to_string(of[2]);
  return words;
}

std::string occupancy_words(const text::Texts& texts, const stats::Occupancy& occupancy) {
  return text::decimal(occupancy.share * 100, 0) + " %, " + texts(key_of(occupancy.limit));
}

}  // namespace ts::views
