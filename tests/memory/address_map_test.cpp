#include "core/memory/address_map.h"

#include <gtest/gtest.h>

#include <map>
#include <random>

namespace ts::memory {
namespace {

TEST(AddressMap, an_empty_one_holds_nothing) {
  AddressMap<int> map;
  EXPECT_EQ(map.find(0), nullptr);
  EXPECT_FALSE(map.erase(0));
  EXPECT_EQ(map.size(), 0U);
}

TEST(AddressMap, address_0_is_one_like_any_other) {
  AddressMap<int> map;
  map[0] = 7;
  ASSERT_NE(map.find(0), nullptr);
  EXPECT_EQ(*map.find(0), 7);
  EXPECT_TRUE(map.erase(0));
  EXPECT_EQ(map.find(0), nullptr);
}

// Few addresses, far apart and close by, so that chains form, wrap around and are torn.
TEST(AddressMap, does_what_a_tree_does) {
  for (const unsigned shift : {0U, 9U, 21U, 32U, 57U}) {
    std::mt19937_64 random(shift);
    AddressMap<std::uint64_t> map;
    std::map<std::uint64_t, std::uint64_t> model;
    for (std::uint64_t i = 0; i < 20'000; ++i) {
      const std::uint64_t address = random() % 120 << shift;
      if (random() % 2 == 0) {
        map[address] = i;
        model[address] = i;
      } else {
        ASSERT_EQ(map.erase(address), model.erase(address) == 1);
      }
      ASSERT_EQ(map.size(), model.size());
      const auto expected = model.find(address);
      const std::uint64_t* const found = map.find(address);
      ASSERT_EQ(found != nullptr, expected != model.end());
    }
    for (std::uint64_t i = 0; i < 120; ++i) {
      const auto expected = model.find(i << shift);
      const std::uint64_t* const found = map.find(i << shift);
      ASSERT_EQ(found != nullptr, expected != model.end()) << shift << ' ' << i;
      if (found != nullptr) {
        EXPECT_EQ(*found, expected->second);
      }
    }
  }
}

}  // namespace
}  // namespace ts::memory
