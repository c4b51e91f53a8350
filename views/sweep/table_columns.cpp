#include "views/sweep/table_columns.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <numeric>

namespace ts::views {
namespace {

// The width of every column, with the gap behind.
std::vector<float> needed_widths(const DrawSink& sink, Metrics metrics,
                                 const std::vector<std::string>& header,
                                 const std::vector<std::vector<std::string>>& rows, bool tall) {
  std::vector<float> widths;
  for (std::size_t i = 0; i < header.size(); ++i) {
    const auto [first, second] = two_lines(header[i]);
    float most = tall ? std::max(sink.text_width(TextStyle::small, first),
                                 sink.text_width(TextStyle::small, second))
                      : sink.text_width(TextStyle::small, header[i]);
    for (const std::vector<std::string>& row : rows)
      most = std::max(most, sink.text_width(TextStyle::body, row[i]));
    // A reason may be a sentence; it is shown as far as there is room.
    if (i + 1 == header.size()) most = std::min(most, metrics.px(100));
    widths.push_back(std::ceil(most) + metrics.px(16));
  }
  return widths;
}

float sum_of(const std::vector<float>& widths) {
  return std::accumulate(widths.begin(), widths.end(), 0.0F);
}

}  // namespace

TableColumns table_columns(const DrawSink& sink, Metrics metrics,
                           const std::vector<std::string>& header,
                           const std::vector<std::vector<std::string>>& rows,
                           std::span<const int> worth, float width) {
  TableColumns columns;
  const auto leave_out = [&](int which) {
    for (std::size_t i = 0; i < worth.size(); ++i)
      if (worth[i] == which) columns.widths[i] = 0;
  };
  for (const bool tall : {false, true}) {
    columns.tall = tall;
    columns.widths = needed_widths(sink, metrics, header, rows, tall);
    leave_out(kLeftOut);
    if (sum_of(columns.widths) <= width) break;
  }
  const int most = worth.empty() ? 0 : *std::ranges::max_element(worth);
  for (int least = 1; least <= most && sum_of(columns.widths) > width; ++least) leave_out(least);
  const float sum = sum_of(columns.widths);
  if (sum > width) {
    for (float& one : columns.widths) one *= width / sum;
    return columns;
  }
  const float spare = width - sum;
  const auto shown =
      static_cast<float>(std::ranges::count_if(columns.widths, [](float one) { return one > 0; }));
  for (float& one : columns.widths) one += one > 0 ? spare / 2 / shown : 0;
  columns.widths.back() += spare / 2;
  return columns;
}

std::pair<std::string, std::string> two_lines(const std::string& words) {
  std::size_t best = std::string::npos;
  const auto off = [&](std::size_t at) {
    return std::abs(static_cast<double>(at) - static_cast<double>(words.size()) / 2);
  };
  for (std::size_t at = words.find(' '); at != std::string::npos; at = words.find(' ', at + 1)) {
    if (best == std::string::npos || off(at) < off(best)) best = at;
  }
  if (best == std::string::npos) return {words, {}};
  return {words.substr(0, best), words.substr(best + 1)};
}

}  // namespace ts::views
