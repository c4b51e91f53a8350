#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <vector>

#include "views/charts/totals_index.h"

namespace ts::views {
namespace {

TEST(TotalsIndex, AgreesWithAScanWhileTheLogGrows) {
  std::mt19937 random(1);
  std::vector<memory::Event> events;
  TotalsIndex index;
  while (events.size() < 20'000) {
    const std::size_t more = 1 + random() % 700;
    for (std::size_t i = 0; i < more; ++i) {
      memory::Event event;
      event.total_after = static_cast<std::int64_t>(random() % 1'000'000);
      events.push_back(event);
    }
    index.update(events);
    ASSERT_EQ(index.size(), events.size());
    for (int i = 0; i < 20; ++i) {
      const auto a = static_cast<std::uint32_t>(random() % events.size());
      const auto b = static_cast<std::uint32_t>(random() % events.size());
      const std::uint32_t first = std::min(a, b);
      const std::uint32_t end = std::max(a, b) + 1;
      std::int64_t least = events[first].total_after;
      std::int64_t most = least;
      for (std::uint32_t k = first; k < end; ++k) {
        least = std::min(least, events[k].total_after);
        most = std::max(most, events[k].total_after);
      }
      const auto found = index.over(events, first, end);
      EXPECT_EQ(found.least, least);
      EXPECT_EQ(found.most, most);
    }
  }
}

TEST(TotalsIndex, StartsAnewForAShorterLog) {
  std::vector<memory::Event> events(100);
  events[3].total_after = 50;
  TotalsIndex index;
  index.update(events);
  EXPECT_EQ(index.over(events, 0, 100).most, 50);
  events.resize(10);
  events[3].total_after = 7;
  index.update(events);
  EXPECT_EQ(index.size(), 10U);
  EXPECT_EQ(index.over(events, 0, 10).most, 7);
}

}  // namespace
}  // namespace ts::views
