#include "core/lessons/point_name.h"

#include <string_view>

#include "core/base/letters.h"

namespace ts::lessons {

PointName point_name(const std::string& argument) {
  PointName found;
  std::string_view rest = argument;
  // Parsed from the end: parts written as a setting belong to the place, the rest is the series.
  while (!rest.empty()) {
    const std::size_t comma = rest.rfind(',');
    const std::string_view last = comma == rest.npos ? rest : rest.substr(comma + 1);
    const std::size_t equals = last.find('=');
    if (equals == last.npos) break;
    found.at.insert(found.at.begin(), {std::string(base::trimmed(last.substr(0, equals))),
                                       std::string(base::trimmed(last.substr(equals + 1)))});
    rest = comma == rest.npos ? std::string_view() : rest.substr(0, comma);
  }
  found.series = base::trimmed(rest);
  return found;
}

}  // namespace ts::lessons
