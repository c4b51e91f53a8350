#include "core/snapshot/pickle_memo.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <random>
#include <vector>

namespace ts::snapshot::pickle {
namespace {

using Value = Document::Value;

class Memos : public ::testing::Test {
 protected:
  void push(Value value) {
    memo_.push_back(value);
    all_.push_back(value);
  }
  // As `period` values that each rise by their own amount, and now and then one that does not.
  void push_rows(std::size_t count, std::int64_t period, bool odd_ones) {
    for (std::size_t i = 0; i < count; ++i) {
      const auto row = static_cast<std::int64_t>(i);
      const bool odd = odd_ones && random_() % 5'000 == 0;
      push(odd ? Value::absent()
               : document_.integer(row % period * 1'000'000 + row / period * (row % period)));
    }
  }
  void expect_all() {
    ASSERT_EQ(memo_.size(), all_.size());
    std::size_t wrong = 0;
    for (std::size_t i = 0; i < all_.size(); ++i) wrong += memo_[i] == all_[i] ? 0 : 1;
    EXPECT_EQ(wrong, 0U);
  }

  std::mt19937_64 random_{5};
  Document document_{0};
  Memo memo_;
  std::vector<Value> all_;
};

TEST_F(Memos, HoldEntriesThatRiseByTheSameInLittleRoom) {
  push_rows(1'000'000, 3, false);
  expect_all();
  EXPECT_LT(memo_.bytes(), 200'000U);
}

TEST_F(Memos, HoldAnyEntries) {
  for (int i = 0; i < 5'000; ++i)
    push(document_.integer(static_cast<std::int64_t>(random_() % 1'000)));
  for (std::int64_t period = 1; period < 7; ++period) push_rows(9'000, period, true);
  for (int i = 0; i < 3'000; ++i) push(Value::absent());
  for (int i = 0; i < 3'000; ++i) push(document_.list());
  expect_all();
}

TEST_F(Memos, HoldEntriesThatChange) {
  for (std::int64_t period = 1; period < 6; ++period) push_rows(7'000, period, true);
  for (int round = 0; round < 2'000; ++round) {
    const auto entry = static_cast<std::size_t>(random_() % all_.size());
    const Value value = document_.integer(round);
    memo_.set(entry, value);
    all_[entry] = value;
    if (round % 3 == 0) push(document_.integer(round % 7));
  }
  expect_all();
  push_rows(5'000, 2, false);
  expect_all();
}

TEST_F(Memos, GiveTheLastEntriesBack) {
  for (int round = 0; round < 4'000; ++round) {
    const std::size_t before = all_.size();
    const auto count = static_cast<std::size_t>(random_() % Memo::kMostTakenBack);
    for (std::size_t i = 0; i < count; ++i)
      push(document_.integer(static_cast<std::int64_t>(i % 2)));
    if (round % 2 == 0) continue;
    memo_.take_back_to(before);
    all_.resize(before);
    push(document_.integer(round));
  }
  expect_all();
}

}  // namespace
}  // namespace ts::snapshot::pickle
