#pragma once

#include <string>
#include <utility>
#include <vector>

namespace ts::lessons {

// "naive, T = 2048" of a sweep: the series, empty if none is named, and settings with values.
struct PointName {
  std::string series;
  std::vector<std::pair<std::string, std::string>> at;
};
PointName point_name(const std::string& argument);

}  // namespace ts::lessons
