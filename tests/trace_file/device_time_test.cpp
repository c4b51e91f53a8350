#include "core/trace_file/device_time.h"

#include <gtest/gtest.h>

namespace ts::trace_file {
namespace {

// Compute 0 to 10 and 5 to 20, a collective 15 to 30, a copy 25 to 40, nothing to 50, a copy of 5.
DeviceTimeline made() {
  return DeviceTimeline(
      {.compute = {{0, 10}, {5, 20}}, .collectives = {{15, 30}}, .copies = {{25, 40}, {50, 55}}});
}

TEST(DeviceTime, PartsAddUpToTheTimeFromFirstToLastWork) {
  const DeviceTime whole = made().whole();
  EXPECT_EQ(whole.compute_ns, 20);
  EXPECT_EQ(whole.exposed_communication_ns, 10) << "20 to 30";
  EXPECT_EQ(whole.exposed_copy_ns, 15) << "30 to 40, 50 to 55";
  EXPECT_EQ(whole.idle_ns, 10);
  EXPECT_EQ(whole.busy_ns(), 45);
  EXPECT_EQ(made().collective_ns(), 15);
  EXPECT_EQ(made().hidden_collective_ns(), 5);
}

TEST(DeviceTime, APartOfItHasWhatLiesInIt) {
  const DeviceTime part = made().within({18, 52});
  EXPECT_EQ(part.compute_ns, 2);
  EXPECT_EQ(part.exposed_communication_ns, 10);
  EXPECT_EQ(part.exposed_copy_ns, 12);
  EXPECT_EQ(part.idle_ns, 10);
  EXPECT_EQ(made().within({100, 107}).idle_ns, 7);
  EXPECT_EQ(DeviceTimeline({}).whole(), DeviceTime{});
}

TEST(DeviceTime, AMeanIsRoundedDown) {
  const DeviceTime mean = mean_of({{.compute_ns = 5}, {.compute_ns = 2, .idle_ns = 4}});
  EXPECT_EQ(mean.compute_ns, 3);
  EXPECT_EQ(mean.idle_ns, 2);
  EXPECT_EQ(mean_of({}), DeviceTime{});
}

}  // namespace
}  // namespace ts::trace_file
