#include "views/charts/totals_index.h"

#include <algorithm>

#include "core/base/check.h"

namespace ts::views {
namespace {

void widen(TotalsIndex::Extremes& sum, const TotalsIndex::Extremes& part) {
  sum.least = std::min(sum.least, part.least);
  sum.most = std::max(sum.most, part.most);
}

}  // namespace

void TotalsIndex::clear() {
  levels_.clear();
}

std::uint32_t TotalsIndex::size() const {
  return levels_.empty() ? 0 : static_cast<std::uint32_t>(levels_[0].size());
}

void TotalsIndex::update(std::span<const memory::Event> events) {
  if (events.size() < size()) clear();
  if (levels_.empty()) levels_.emplace_back();
  for (std::size_t i = size(); i < events.size(); ++i) {
    const Extremes one{events[i].total_after, events[i].total_after};
    levels_[0].push_back(one);
    std::size_t place = i;
    // The last node of each level is widened as its children arrive, so a growing run needs no
    // rebuild.
    for (std::size_t level = 1;; ++level) {
      place /= kFanout;
      if (level == levels_.size()) {
        if (levels_[level - 1].size() > kFanout) add_level();
        break;
      }
      std::vector<Extremes>& nodes = levels_[level];
      if (place < nodes.size()) {
        widen(nodes[place], one);
      } else {
        nodes.push_back(one);
      }
    }
  }
}

void TotalsIndex::add_level() {
  const std::vector<Extremes>& children = levels_.back();
  std::vector<Extremes> nodes;
  for (std::size_t i = 0; i < children.size(); ++i) {
    if (i % kFanout == 0) {
      nodes.push_back(children[i]);
    } else {
      widen(nodes.back(), children[i]);
    }
  }
  levels_.push_back(std::move(nodes));
}

TotalsIndex::Extremes TotalsIndex::over(std::uint32_t first, std::uint32_t end) const {
  TS_CHECK(first < end && end <= size());
  Extremes sum = levels_[0][first];
  std::size_t level = 0;
  std::size_t from = first;
  std::size_t to = end;
  while (from < to) {
    const std::vector<Extremes>& nodes = levels_[level];
    const bool top = level + 1 == levels_.size();
    while (from < to && (top || from % kFanout != 0)) widen(sum, nodes[from++]);
    while (from < to && (top || to % kFanout != 0)) widen(sum, nodes[--to]);
    from /= kFanout;
    to /= kFanout;
    ++level;
  }
  return sum;
}

}  // namespace ts::views
