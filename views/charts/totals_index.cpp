#include "views/charts/totals_index.h"

#include <algorithm>

#include "core/base/check.h"

namespace ts::views {
namespace {

void widen(TotalsIndex::Extremes& sum, const TotalsIndex::Extremes& part) {
  sum.least = std::min(sum.least, part.least);
  sum.most = std::max(sum.most, part.most);
}

TotalsIndex::Extremes total_of(const memory::Event& event) {
  return {event.total_after, event.total_after};
}

}  // namespace

void TotalsIndex::clear() {
  size_ = 0;
  levels_.clear();
}

void TotalsIndex::update(std::span<const memory::Event> events) {
  if (events.size() < size_) clear();
  if (levels_.empty()) levels_.emplace_back();
  for (; size_ < events.size(); ++size_) {
    const Extremes one = total_of(events[size_]);
    std::size_t place = size_;
    // The last node of each level is widened as its children arrive, so a growing run needs no
    // rebuild.
    for (std::size_t level = 0;; ++level) {
      place /= kFanout;
      if (level == levels_.size()) {
        if (levels_.back().size() > kFanout) add_level();
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

TotalsIndex::Extremes TotalsIndex::over(std::span<const memory::Event> events, std::uint32_t first,
                                        std::uint32_t end) const {
  TS_CHECK(first < end && end <= size_ && size_ <= events.size());
  Extremes sum = total_of(events[first]);
  std::size_t from = first;
  std::size_t to = end;
  while (from < to && from % kFanout != 0) widen(sum, total_of(events[from++]));
  while (from < to && to % kFanout != 0) widen(sum, total_of(events[--to]));
  for (std::size_t level = 0; level < levels_.size(); ++level) {
    from /= kFanout;
    to /= kFanout;
    const std::vector<Extremes>& nodes = levels_[level];
    const bool top = level + 1 == levels_.size();
    while (from < to && (top || from % kFanout != 0)) widen(sum, nodes[from++]);
    while (from < to && (top || to % kFanout != 0)) widen(sum, nodes[--to]);
  }
  return sum;
}

}  // namespace ts::views
