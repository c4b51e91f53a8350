// How long the messages about saved files stay.
#include "app/pages/toasts.h"

#include <gtest/gtest.h>

namespace ts::app {
namespace {

constexpr std::int64_t kSecond = 1'000'000'000;

TEST(Toasts, StayForSomeSeconds) {
  Toasts toasts;
  toasts.add("a.png", 0);
  toasts.expire(7 * kSecond);
  EXPECT_FALSE(toasts.empty());
  toasts.expire(9 * kSecond);
  EXPECT_TRUE(toasts.empty());
}

TEST(Toasts, LeaveSoonOnAnotherPage) {
  Toasts toasts;
  toasts.add("a.png", 0);
  toasts.page_changed(kSecond);
  toasts.expire(2 * kSecond);
  EXPECT_FALSE(toasts.empty()) << "the user can still read it";
  toasts.expire(4 * kSecond);
  EXPECT_TRUE(toasts.empty());
}

TEST(Toasts, AnotherPageDoesNotKeepThemLonger) {
  Toasts toasts;
  toasts.add("a.png", 0);
  toasts.page_changed(7 * kSecond);
  toasts.expire(8 * kSecond + 1);
  EXPECT_TRUE(toasts.empty());
}

}  // namespace
}  // namespace ts::app
