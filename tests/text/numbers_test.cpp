#include "core/text/numbers.h"

#include <gtest/gtest.h>

#include <clocale>
#include <cmath>
#include <limits>
#include <locale>
#include <string>

namespace ts::text {
namespace {

constexpr std::int64_t kKi = 1024;
constexpr std::int64_t kMi = kKi * kKi;
constexpr std::int64_t kGi = kMi * kKi;

TEST(Numbers, one_of_a_thing_is_named_in_the_singular) {
  EXPECT_EQ(counted(1, "step"), "1 step");
  EXPECT_EQ(counted(0, "step"), "0 steps");
  EXPECT_EQ(counted(1234, "memory event"), "1,234 memory events");
}

TEST(Bytes, take_binary_units_and_three_to_four_digits) {
  EXPECT_EQ(bytes(0).joined(), "0 B");
  EXPECT_EQ(bytes(1).joined(), "1 B");
  EXPECT_EQ(bytes(1023).joined(), "1,023 B");
  EXPECT_EQ(bytes(1024).joined(), "1.00 KiB");
  EXPECT_EQ(bytes(3 * kGi + 102 * kMi).joined(), "3.10 GiB");
  EXPECT_EQ(bytes(static_cast<std::int64_t>(19.93 * static_cast<double>(kGi))).joined(),
            "19.93 GiB");
  EXPECT_EQ(bytes(512 * kMi).joined(), "512 MiB");
  EXPECT_EQ(bytes(972 * kMi + 410 * kKi).joined(), "972.4 MiB");
  EXPECT_EQ(bytes(std::int64_t{10'000} * 2560 * 4).joined(), "97.66 MiB");
  EXPECT_EQ(bytes(INT64_MAX).joined(), "8,388,608 TiB");
}

TEST(Bytes, move_on_to_the_next_unit_where_rounding_would_fill_it) {
  EXPECT_EQ(bytes(1023 * kMi).joined(), "1,023 MiB");
  EXPECT_EQ(bytes(1023 * kMi + 600 * kKi).joined(), "1.00 GiB");
  EXPECT_EQ(bytes(kMi - 1).joined(), "1.00 MiB");
  EXPECT_EQ(bytes(100 * kMi - 1).joined(), "100 MiB");
  EXPECT_EQ(bytes(10 * kMi - 1).joined(), "10.00 MiB");
}

TEST(Bytes, may_be_negative) {
  EXPECT_EQ(bytes(-1).joined(), "\u22121 B");
  EXPECT_EQ(bytes(-3 * kGi).joined(), "\u22123.00 GiB");
  EXPECT_EQ(bytes(INT64_MIN).joined(), "\u22128,388,608 TiB");
}

TEST(Bytes, keep_a_unit_where_columns_share_it) {
  EXPECT_EQ(bytes_in(kGi, 'G').joined(), "1.00 GiB");
  EXPECT_EQ(bytes_in(kGi, 'M').joined(), "1,024.00 MiB");
  EXPECT_EQ(bytes_in(kMi / 2, 'M').joined(), "0.50 MiB");
  EXPECT_EQ(bytes_in(2048, 'K').joined(), "2.00 KiB");
  EXPECT_EQ(bytes_in(2048, 'B').joined(), "2,048 B");
}

TEST(Duration, takes_the_unit_that_keeps_it_short) {
  EXPECT_EQ(duration_ns(0).joined(), "0 ns");
  EXPECT_EQ(duration_ns(812).joined(), "812 ns");
  EXPECT_EQ(duration_ns(36.25).joined(), "36.25 ns");
  EXPECT_EQ(duration_ns(1000).joined(), "1.00 \u00b5s");
  EXPECT_EQ(duration_ns(812.3e3).joined(), "812.3 \u00b5s");
  EXPECT_EQ(duration_ns(14.32e6).joined(), "14.32 ms");
  EXPECT_EQ(duration_ns(999.99e6).joined(), "1.00 s");
  EXPECT_EQ(duration_ns(3600e9).joined(), "3,600 s");
  EXPECT_EQ(duration_ns(-2.5e6).joined(), "\u22122.50 ms");
}

TEST(Rate, puts_the_prefix_before_the_word_or_the_symbol) {
  EXPECT_EQ(rate(114'700, "tokens").joined(), "114.7 k tokens/s");
  EXPECT_EQ(rate(12, "tokens").joined(), "12.00 tokens/s");
  EXPECT_EQ(rate(2.0e12, "FLOP").joined(), "2.00 TFLOP/s");
  EXPECT_EQ(rate(999'960, "tokens").joined(), "1.00 M tokens/s");
}

TEST(Numbers, group_thousands) {
  EXPECT_EQ(grouped(0), "0");
  EXPECT_EQ(grouped(999), "999");
  EXPECT_EQ(grouped(1000), "1,000");
  EXPECT_EQ(grouped(-1234567), "\u22121,234,567");
  EXPECT_EQ(grouped(INT64_MIN), "\u22129,223,372,036,854,775,808");
  EXPECT_EQ(decimal(1234567.891, 2), "1,234,567.89");
  EXPECT_EQ(decimal(1e15, 0), "1,000,000,000,000,000");
}

TEST(Numbers, have_a_real_minus_and_never_a_negative_zero) {
  EXPECT_EQ(decimal(-0.4, 1), "\u22120.4");
  EXPECT_EQ(decimal(-0.04, 1), "0.0");
  EXPECT_EQ(decimal(-0.0, 2), "0.00");
  EXPECT_EQ(percent(-0.4, 1), "\u22120.4");
  EXPECT_EQ(percent(1.2, 1), "+1.2");
  EXPECT_EQ(percent(0.01, 1), "0.0");
  EXPECT_EQ(percent(-0.01, 1), "0.0");
  EXPECT_EQ(percent(1234.5, 1), "+1,234.5");
}

TEST(Numbers, that_are_not_are_a_dash) {
  for (const double bad : {std::nan(""), HUGE_VAL, -HUGE_VAL}) {
    EXPECT_EQ(decimal(bad, 2), "\u2013");
    EXPECT_EQ(percent(bad, 2), "\u2013");
    EXPECT_EQ(duration_ns(bad).value, "\u2013");
    EXPECT_EQ(rate(bad, "tokens").value, "\u2013");
  }
}

// Groups by two with dots and writes decimals after a comma, as no program of ours may.
class StrangePunctuation : public std::numpunct<char> {
  char do_decimal_point() const override { return ','; }
  char do_thousands_sep() const override { return '.'; }
  std::string do_grouping() const override { return "\2"; }
};

class UnderLocale : public testing::Test {
 protected:
  UnderLocale() : before_c_(std::setlocale(LC_ALL, nullptr)) {}
  ~UnderLocale() override {
    std::locale::global(before_);
    std::setlocale(LC_ALL, before_c_.c_str());
  }
  static void expect_same_numbers() {
    EXPECT_EQ(decimal(1234.5, 2), "1,234.50");
    EXPECT_EQ(grouped(1234567), "1,234,567");
    EXPECT_EQ(bytes(20 * kMi + kMi / 2).joined(), "20.50 MiB");
    EXPECT_EQ(duration_ns(1.5e6).joined(), "1.50 ms");
    EXPECT_EQ(percent(-1.5, 1), "\u22121.5");
  }

 private:
  std::string before_c_;
  std::locale before_;
};

TEST_F(UnderLocale, of_cpp_numbers_stay) {
  std::locale::global(std::locale(std::locale::classic(), new StrangePunctuation));
  expect_same_numbers();
}

TEST_F(UnderLocale, of_c_numbers_stay) {
  for (const char* name : {"de_DE.UTF-8", "de_DE.utf8", "fr_FR.UTF-8"}) {
    if (std::setlocale(LC_ALL, name) != nullptr) {
      expect_same_numbers();
      return;
    }
  }
  GTEST_SKIP() << "no German or French locale is installed";
}

}  // namespace
}  // namespace ts::text
