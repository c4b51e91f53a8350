#include "core/base/coarse_to_fine.h"

#include <algorithm>
#include <tuple>
#include <utility>

namespace ts::base {
namespace {

struct Visit {
  std::size_t index = 0;
  std::size_t level = 0;  // the coarsest grid level that contains it
};

std::vector<Visit> visits(std::size_t n) {
  if (n == 0) return {};
  std::vector<Visit> all = {{0, 0}};
  if (n > 2) all.push_back({(n - 1) / 2, 0});
  if (n > 1) all.push_back({n - 1, 0});
  std::vector<std::pair<std::size_t, std::size_t>> gaps;  // both ends visited
  if (n > 2) gaps = {{0, (n - 1) / 2}, {(n - 1) / 2, n - 1}};
  for (std::size_t level = 1; !gaps.empty(); ++level) {
    std::vector<std::pair<std::size_t, std::size_t>> next;
    for (const auto& [low, high] : gaps) {
      if (high - low < 2) continue;
      const std::size_t middle = (low + high) / 2;
      all.push_back({middle, level});
      next.emplace_back(low, middle);
      next.emplace_back(middle, high);
    }
    gaps = std::move(next);
  }
  return all;
}

}  // namespace

std::vector<std::size_t> coarse_to_fine(std::size_t n) {
  std::vector<std::size_t> order;
  for (const Visit& visit : visits(n)) order.push_back(visit.index);
  return order;
}

std::vector<std::size_t> coarse_to_fine(std::size_t first, std::size_t second) {
  struct Place {
    std::size_t level, order_sum, order_second, index;
  };
  const auto a = visits(first);
  const auto b = visits(second);
  std::vector<Place> places;
  for (std::size_t j = 0; j < b.size(); ++j) {
    for (std::size_t i = 0; i < a.size(); ++i) {
      places.push_back(
          {std::max(a[i].level, b[j].level), i + j, j, b[j].index * first + a[i].index});
    }
  }
  std::sort(places.begin(), places.end(), [](const Place& x, const Place& y) {
    return std::tie(x.level, x.order_sum, x.order_second) <
           std::tie(y.level, y.order_sum, y.order_second);
  });
  std::vector<std::size_t> order;
  for (const Place& place : places) order.push_back(place.index);
  return order;
}

}  // namespace ts::base
