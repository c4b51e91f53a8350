#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <numeric>

#include "core/memory/allocation_log.h"
#include "tests/memory/random_log.h"

namespace ts::memory {
namespace {

// The simplest thing that could be right: a map of what lives.
struct Model {
  std::map<std::uint64_t, std::int64_t> live;
  std::vector<std::int64_t> totals;                    // after each event
  std::vector<std::vector<std::uint64_t>> live_after;  // addresses, after each event

  std::int64_t total() const {
    return std::accumulate(live.begin(), live.end(), std::int64_t{0},
                           [](std::int64_t sum, const auto& entry) { return sum + entry.second; });
  }
  void note() {
    totals.push_back(total());
    live_after.emplace_back();
    for (const auto& [address, size] : live) live_after.back().push_back(address);
  }
  void append(const Record& record) {
    if (record.action == Action::alloc) {
      if (live.erase(record.address) > 0) note();
      live[record.address] = record.size;
      note();
    } else if (record.action == Action::free_completed) {
      live.erase(record.address);
      note();
    } else if (record.action == Action::oom) {
      note();
    }
  }
};

class AllocationLogProperty : public ::testing::TestWithParam<std::uint32_t> {};

TEST_P(AllocationLogProperty, agrees_with_a_naive_model) {
  testing::RandomRecords source(GetParam());
  AllocationLog log;
  Model model;
  // Beyond several checkpoints.
  for (int i = 0; i < 12'000; ++i) {
    const Record record = source.next();
    const auto version = log.version();
    const std::size_t events = log.events().size();
    log.append(record);
    model.append(record);
    ASSERT_GE(log.version(), version);
    if (log.events().size() > events) {
      ASSERT_GT(log.version(), version);
    }
  }
  ASSERT_EQ(log.events().size(), model.totals.size());
  EXPECT_EQ(log.current_bytes(), model.total());
  const auto peak = std::max_element(model.totals.begin(), model.totals.end());
  EXPECT_EQ(log.peak_bytes(), *peak);
  EXPECT_EQ(log.peak_event(), static_cast<EventIndex>(peak - model.totals.begin()));

  for (std::size_t i = 0; i < log.events().size(); ++i) {
    ASSERT_EQ(log.events()[i].total_after, model.totals[i]);
    if (i > 0) {
      ASSERT_GE(log.events()[i].time_ns, log.events()[i - 1].time_ns);
    }
    if (i % 7 != 0) continue;
    const auto event = static_cast<EventIndex>(i);
    const std::vector<BlockIndex> live = log.live_after(event);
    ASSERT_TRUE(std::is_sorted(live.begin(), live.end()));
    std::vector<std::uint64_t> addresses;
    addresses.reserve(live.size());
    for (const BlockIndex block : live) addresses.push_back(log.blocks()[block].address);
    std::sort(addresses.begin(), addresses.end());
    ASSERT_EQ(addresses, model.live_after[i]);
    const CategoryBytes sums = log.by_category_after(event);
    ASSERT_EQ(std::accumulate(sums.begin(), sums.end(), std::int64_t{0}), model.totals[i]);
  }
}

TEST_P(AllocationLogProperty, event_at_agrees_with_a_linear_scan) {
  const AllocationLog log = testing::random_log(GetParam(), 2'000);
  const base::TimeRange range = log.time_range();
  for (std::int64_t time = range.begin - 3; time < range.end + 3; time += 11) {
    EventIndex expected = kNone;
    for (std::size_t i = 0; i < log.events().size(); ++i) {
      if (log.events()[i].time_ns <= time) expected = static_cast<EventIndex>(i);
    }
    ASSERT_EQ(log.event_at(time), expected);
  }
}

// The rules of categories hold at any time, whatever was lost on the way.
TEST_P(AllocationLogProperty, categories_keep_their_rules) {
  const AllocationLog log = testing::random_log(GetParam(), 5'000);
  for (const Block& block : log.blocks()) {
    const bool owned = block.category < Category::activation;
    if (owned) continue;
    const bool forward = block.phase == base::Phase::forward || block.phase == base::Phase::loss;
    if (block.phase == base::Phase::setup) {
      const bool freed = block.free_event != kNone;
      ASSERT_EQ(block.category, freed && block.category != Category::unknown ? Category::temporary
                                                                             : Category::unknown);
    } else if (block.free_event != kNone) {
      ASSERT_NE(block.category, Category::unknown);
    }
    if (block.category == Category::activation) {
      ASSERT_TRUE(forward);
    }
  }
}

INSTANTIATE_TEST_SUITE_P(seeds, AllocationLogProperty, ::testing::Range(1U, 9U));

}  // namespace
}  // namespace ts::memory
