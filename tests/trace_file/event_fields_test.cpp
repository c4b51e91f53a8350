#include "core/trace_file/event_fields.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <limits>

namespace ts::trace_file {
namespace {

TEST(Nanoseconds, AreExact) {
  EXPECT_EQ(nanoseconds("1"), 1000);
  EXPECT_EQ(nanoseconds("5925.171"), 5925171);
  EXPECT_EQ(nanoseconds("1712345678901234.567"), 1712345678901234567) << "a double would not do";
  EXPECT_EQ(nanoseconds("0.0019"), 1) << "less than a nanosecond is left away";
  EXPECT_EQ(nanoseconds("3.5"), 3500);
  EXPECT_EQ(nanoseconds("-2.25"), -2250);
  EXPECT_EQ(nanoseconds("1.5e3"), 1'500'000);
  EXPECT_EQ(nanoseconds(""), 0);
  EXPECT_EQ(nanoseconds("null"), 0);
}

TEST(Nanoseconds, FarNumbersStayWhereSumsCannotOverflow) {
  constexpr std::int64_t kMost = std::numeric_limits<std::int64_t>::max() / 4 + 1;
  for (const char* text :
       {"9223372036854775807", "99999999999999999999999999", "1e300", "9223372036854775807.5"}) {
    EXPECT_EQ(nanoseconds(text), kMost) << text;
  }
  EXPECT_EQ(nanoseconds("-99999999999999999999"), -kMost);
}

TEST(Fields, CategoriesOfAllYearsAreKnown) {
  EXPECT_EQ(kind_of("cpu_op", ""), EventKind::op);
  EXPECT_EQ(kind_of("Operator", ""), EventKind::op);
  EXPECT_EQ(kind_of("Kernel", ""), EventKind::kernel);
  EXPECT_EQ(kind_of("Runtime", ""), EventKind::runtime);
  EXPECT_EQ(kind_of("hip_runtime", ""), EventKind::runtime);
  EXPECT_EQ(kind_of("Memcpy", ""), EventKind::copy);
  EXPECT_EQ(kind_of("gpu_memset", ""), EventKind::fill);
  EXPECT_EQ(kind_of("", "CUDA functions"), EventKind::kernel);
  EXPECT_EQ(kind_of("", "CPU functions"), EventKind::op);
  EXPECT_EQ(kind_of("", "4711"), EventKind::other);
  EXPECT_EQ(kind_of("Trace", ""), EventKind::window);
  EXPECT_EQ(kind_of("trace_of_another", ""), EventKind::other);
  for (int i = 0; i < kEventKindCount - 1; ++i) {
    const auto kind = static_cast<EventKind>(i);
    EXPECT_EQ(kind_of(to_string(kind), ""), kind) << to_string(kind);
  }
}

TEST(Fields, ListsAndNumbers) {
  EXPECT_EQ(triple("[64, 1, 2]"), (std::array<std::int32_t, 3>{64, 1, 2}));
  EXPECT_EQ(triple("[99999999999]"), (std::array<std::int32_t, 3>{0, 0, 0}));
  EXPECT_EQ(integer("42"), 42);
  EXPECT_EQ(integer("18446744073709551615"), -1);
  EXPECT_EQ(integer("4x"), kNoNumber);
}

}  // namespace
}  // namespace ts::trace_file
