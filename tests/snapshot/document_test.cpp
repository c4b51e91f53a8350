#include "core/snapshot/document.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <random>
#include <vector>

#include "core/snapshot/run_index.h"

namespace ts::snapshot {
namespace {

using Value = Document::Value;

std::vector<std::int64_t> items_of(const Document& document, Value list) {
  std::vector<std::int64_t> items;
  document.for_each_item(list, [&](Value item) {
    items.push_back(*document.as_integer(item));
    return true;
  });
  return items;
}

std::vector<std::int64_t> entries_of(const Document& document, Value dict) {
  std::vector<std::int64_t> entries;
  document.for_each_entry(dict, [&](Value key, Value value) {
    entries.push_back(*document.as_integer(key));
    entries.push_back(*document.as_integer(value));
    return true;
  });
  return entries;
}

class Documents : public testing::Test {
 protected:
  Value list(const std::vector<std::int64_t>& numbers) {
    const Value made = document_.list();
    append(made, numbers);
    return made;
  }
  void append(Value to, const std::vector<std::int64_t>& numbers) {
    std::vector<Value> values;
    for (const std::int64_t number : numbers) values.push_back(document_.integer(number));
    document_.append(to, values);
  }

  Document document_{0};
};

TEST_F(Documents, EqualListsShareTheirItemsAndGrowApart) {
  const Value first = list({1, 2, 3});
  const Value second = list({1, 2, 3});
  EXPECT_EQ(document_.shared_items(first), document_.shared_items(second));
  EXPECT_NE(document_.shared_items(first), document_.shared_items(list({1, 2})));
  EXPECT_FALSE(document_.shared_items(list({})).has_value());

  // The items of both end where new ones are put.
  append(first, {4});
  append(second, {5});
  EXPECT_EQ(items_of(document_, first), (std::vector<std::int64_t>{1, 2, 3, 4}));
  EXPECT_EQ(items_of(document_, second), (std::vector<std::int64_t>{1, 2, 3, 5}));
  EXPECT_EQ(items_of(document_, list({1, 2, 3})), (std::vector<std::int64_t>{1, 2, 3}));
}

TEST_F(Documents, DictsOfTheSameKeysTakeTheRoomOfTheirValues) {
  const Value first = document_.dict();
  append(first, {1, 10, 2, 20, 3, 30});
  const std::size_t before = document_.bytes();
  const Value second = document_.dict();
  append(second, {1, 11, 2, 21, 3, 31});
  // Three values, the place of the keys and the container.
  EXPECT_EQ(document_.bytes() - before, 4 * 8U + 16U);
  EXPECT_EQ(entries_of(document_, first), (std::vector<std::int64_t>{1, 10, 2, 20, 3, 30}));
  EXPECT_EQ(entries_of(document_, second), (std::vector<std::int64_t>{1, 11, 2, 21, 3, 31}));
  append(first, {4, 40});
  append(first, {});
  EXPECT_EQ(entries_of(document_, first), (std::vector<std::int64_t>{1, 10, 2, 20, 3, 30, 4, 40}));
  EXPECT_EQ(document_.item_count(first), 4U);
}

TEST_F(Documents, HoldWhatWasAppendedInAnyOrder) {
  std::mt19937 random(7);  // NOLINT(cert-msc51-cpp): the same numbers in every run
  const auto below = [&](unsigned end) { return random() % end; };
  struct Made {
    Value value;
    std::vector<std::int64_t> content;
  };
  std::vector<Made> lists;
  std::vector<Made> dicts;
  for (int step = 0; step < 20'000; ++step) {
    std::vector<Made>& all = below(2) == 0 ? lists : dicts;
    const bool is_list = &all == &lists;
    if (all.empty() || below(3) == 0) {
      all.push_back({is_list ? document_.list() : document_.dict(), {}});
    }
    Made& one = all[below(static_cast<unsigned>(all.size()))];
    // Few different numbers: many appended runs are equal.
    std::vector<std::int64_t> added((is_list ? 1 : 2) * below(4));
    for (std::int64_t& number : added) number = below(2);
    append(one.value, added);
    one.content.insert(one.content.end(), added.begin(), added.end());
  }
  for (const Made& one : lists) EXPECT_EQ(items_of(document_, one.value), one.content);
  for (const Made& one : dicts) EXPECT_EQ(entries_of(document_, one.value), one.content);
}

// A file that is made to collide must not make reading slow.
// Events one after another take no room for the list, whatever stands between.
TEST_F(Documents, ListsOfEventsAndOtherItemsKeepTheirOrder) {
  std::vector<Value> events;
  document_.event_rest({});
  for (int i = 0; i < 9; ++i) events.push_back(document_.event({}));
  const std::vector<std::vector<Value>> pieces = {{events[0], events[1], events[2]},
                                                  {events[3], events[4]},
                                                  {document_.integer(3)},
                                                  {events[5], document_.integer(1), events[6]},
                                                  {events[7]},
                                                  {events[7], events[8]},
                                                  {events[0]}};
  const Value made = document_.list();
  std::vector<Value> expected;
  for (const auto& piece : pieces) {
    document_.append(made, piece);
    expected.insert(expected.end(), piece.begin(), piece.end());
  }
  std::vector<Value> items;
  document_.for_each_item(made, [&](Value item) {
    items.push_back(item);
    return true;
  });
  EXPECT_TRUE(items == expected);
  EXPECT_EQ(document_.item_count(made), expected.size());
}

TEST_F(Documents, ARunOfEventsSharesNoItems) {
  document_.event_rest({});
  const Value event = document_.event({});
  const Value made = document_.list();
  document_.append(made, {&event, 1});
  EXPECT_FALSE(document_.shared_items(made));
  const std::size_t before = document_.bytes();
  for (int i = 0; i < 1'000; ++i) {
    const Value next = document_.event({});
    document_.append(made, {&next, 1});
  }
  EXPECT_EQ(document_.item_count(made), 1'001U);
  EXPECT_EQ(document_.bytes(), before + 1'000 * sizeof(allocator::TraceEntry));
}

TEST(RunIndex, LooksAtFewPlacesWhenAllRunsCollide) {
  RunIndex index;
  int compared = 0;
  for (std::uint32_t begin = 0; begin < 10'000; ++begin) {
    const int before = compared;
    const auto found = index.find_or_add(42, 3, begin, [&](std::uint32_t /*other*/) {
      ++compared;
      return false;
    });
    EXPECT_EQ(found, begin);
    EXPECT_LE(compared - before, 8);
  }
  EXPECT_EQ(index.find_or_add(42, 3, 99'999, [](std::uint32_t other) { return other == 2; }), 2U);
  EXPECT_EQ(index.find_or_add(42, 4, 99'999, [](std::uint32_t /*other*/) { return true; }), 99'999U)
      << "runs of different lengths are different";
}

TEST(RunIndex, FindsEveryRunAgainAfterGrowing) {
  RunIndex index;
  const auto hash_of = [](std::uint64_t value) {
    return RunIndex::hash_of(1, [&](std::size_t /*i*/) { return value; });
  };
  for (std::uint32_t i = 0; i < 50'000; ++i) {
    index.find_or_add(hash_of(i), 1, i, [](std::uint32_t /*other*/) { return false; });
  }
  int lost = 0;
  for (std::uint32_t i = 0; i < 50'000; ++i) {
    const auto found =
        index.find_or_add(hash_of(i), 1, 99'999, [&](std::uint32_t other) { return other == i; });
    if (found != i) ++lost;
  }
  EXPECT_LE(lost, 500) << "more than one in a hundred is stored twice";
}

}  // namespace
}  // namespace ts::snapshot
