#include "core/capture/gpu_idle.h"

#include <gtest/gtest.h>

namespace ts::capture {
namespace {

DeviceInterval kernel_work(std::uint32_t number, std::int64_t begin, std::int64_t end,
                           std::uint32_t device = 0) {
  return {device, number, begin, end};
}
DeviceInterval copy(std::int64_t begin, std::int64_t end, std::uint32_t number = 0) {
  return {0, number, begin, end};
}
HostCall call(HostCall::Kind kind, std::uint32_t number, std::int64_t begin, std::int64_t end) {
  return {kind, number, begin, end};
}
constexpr auto kLaunch = HostCall::Kind::launch;
constexpr auto kWait = HostCall::Kind::wait;
constexpr auto kCopy = HostCall::Kind::copy;

struct Told {
  IdleCause cause;
  std::int64_t begin;
  std::int64_t end;
  friend bool operator==(const Told&, const Told&) = default;
};
std::vector<Told> told(std::vector<DeviceInterval> work, const std::vector<HostCall>& calls,
                       const std::vector<std::int64_t>& began = {}) {
  std::vector<Told> all;
  for (const IdleSpan& span : idle_spans(std::move(work), calls, began))
    all.push_back({span.cause, span.begin_ns, span.end_ns});
  return all;
}

TEST(GpuIdle, a_launch_that_comes_late_is_the_hosts_fault) {
  EXPECT_EQ(told({kernel_work(1, 100, 200), kernel_work(2, 300, 400)},
                 {call(kLaunch, 1, 50, 60), call(kLaunch, 2, 280, 290)}),
            (std::vector<Told>{{IdleCause::launch, 200, 300}}));
}

TEST(GpuIdle, a_launch_that_was_waiting_is_the_devices) {
  EXPECT_EQ(told({kernel_work(1, 100, 200), kernel_work(2, 203, 400)},
                 {call(kLaunch, 1, 50, 60), call(kLaunch, 2, 70, 80)}),
            (std::vector<Told>{{IdleCause::device, 200, 203}}));
}

TEST(GpuIdle, a_host_that_waited_for_the_device_could_not_launch) {
  const std::vector<DeviceInterval> work = {kernel_work(1, 100, 200), kernel_work(2, 300, 400)};
  EXPECT_EQ(
      told(work, {call(kLaunch, 1, 50, 60), call(kWait, 5, 65, 210), call(kLaunch, 2, 280, 290)}),
      (std::vector<Told>{{IdleCause::synchronisation, 200, 300}}));
  EXPECT_EQ(
      told(work, {call(kLaunch, 1, 50, 60), call(kWait, 5, 65, 190), call(kLaunch, 2, 280, 290)}),
      (std::vector<Told>{{IdleCause::launch, 200, 300}}))
      << "it was over before the device was idle";
  EXPECT_EQ(
      told(work, {call(kLaunch, 1, 50, 60), call(kLaunch, 2, 280, 290), call(kWait, 5, 285, 500)}),
      (std::vector<Told>{{IdleCause::launch, 200, 300}}))
      << "it began after the launch";
}

TEST(GpuIdle, what_another_process_waits_for_is_no_cause) {
  const auto of = [](std::uint32_t process, HostCall one) {
    one.process = process;
    return one;
  };
  const std::vector<DeviceInterval> work = {kernel_work(1, 100, 200), kernel_work(2, 300, 400)};
  for (const auto kind : {kWait, kCopy}) {
    EXPECT_EQ(told(work, {call(kLaunch, 1, 50, 60), of(7, call(kind, 5, 65, 210)),
                          call(kLaunch, 2, 280, 290)}),
              (std::vector<Told>{{IdleCause::launch, 200, 300}}));
    EXPECT_EQ(told(work, {of(7, call(kLaunch, 1, 50, 60)), of(7, call(kind, 5, 65, 210)),
                          of(7, call(kLaunch, 2, 280, 290))}),
              (std::vector<Told>{
                  {kind == kWait ? IdleCause::synchronisation : IdleCause::copy, 200, 300}}));
  }
}

TEST(GpuIdle, copies_are_no_gap_and_end_one_as_kernels_do) {
  EXPECT_EQ(told({kernel_work(1, 100, 200), copy(220, 250, 3), kernel_work(2, 300, 400)},
                 {call(kLaunch, 1, 50, 60), call(kCopy, 3, 150, 260), call(kLaunch, 2, 280, 290)}),
            (std::vector<Told>{{IdleCause::device, 200, 220}, {IdleCause::copy, 250, 300}}));
  EXPECT_TRUE(told({kernel_work(1, 100, 200), copy(150, 500), kernel_work(2, 300, 400)},
                   {call(kLaunch, 2, 280, 290)})
                  .empty())
      << "one that began beside the kernel";
  EXPECT_EQ(
      told({copy(0, 50), kernel_work(1, 100, 200), copy(300, 400)}, {call(kLaunch, 1, 80, 90)}),
      (std::vector<Told>{{IdleCause::launch, 50, 100}, {IdleCause::unknown, 200, 300}}))
      << "the first and the last work may be copies";
  EXPECT_EQ(told({kernel_work(1, 100, 200), kernel_work(2, 300, 400)},
                 {call(kCopy, 4, 190, 260), call(kLaunch, 2, 280, 290)}),
            (std::vector<Told>{{IdleCause::copy, 200, 300}}))
      << "one that kept the host";
}

TEST(GpuIdle, without_a_launch_the_cause_is_not_known) {
  EXPECT_EQ(told({kernel_work(1, 100, 200), kernel_work(2, 300, 400)}, {call(kLaunch, 1, 50, 60)}),
            (std::vector<Told>{{IdleCause::unknown, 200, 300}}));
}

TEST(GpuIdle, kernels_that_overlap_leave_no_gap) {
  EXPECT_TRUE(
      told({kernel_work(1, 100, 400), kernel_work(2, 150, 200), kernel_work(3, 390, 500)}, {})
          .empty());
  EXPECT_TRUE(told({kernel_work(1, 100, 200)}, {}).empty());
  EXPECT_TRUE(told({}, {}).empty());
}

TEST(GpuIdle, what_lies_between_two_recordings_is_left_out) {
  EXPECT_TRUE(told({kernel_work(1, 100, 200), kernel_work(2, 300, 400)},
                   {call(kLaunch, 2, 280, 290)}, {50, 250})
                  .empty());
}

TEST(GpuIdle, devices_are_apart_and_order_does_not_matter) {
  const auto spans = idle_spans({kernel_work(4, 350, 360, 1), kernel_work(2, 300, 400),
                                 kernel_work(1, 100, 200), kernel_work(3, 120, 130, 1)},
                                {call(kLaunch, 2, 20, 30), call(kLaunch, 4, 340, 345)}, {});
  ASSERT_EQ(spans.size(), 2U);
  EXPECT_EQ(spans[0].device, 0U);
  EXPECT_EQ(spans[0].cause, IdleCause::device);
  EXPECT_EQ(spans[1].device, 1U);
  EXPECT_EQ(spans[1].begin_ns, 130);
  EXPECT_EQ(spans[1].cause, IdleCause::launch);
}

// A driver's call inside the runtime's has its number; the outer one counts.
TEST(GpuIdle, the_first_call_of_a_number_is_the_launch) {
  EXPECT_EQ(told({kernel_work(1, 100, 200), kernel_work(2, 300, 400)},
                 {call(kLaunch, 2, 210, 215), call(kLaunch, 2, 190, 230)}),
            (std::vector<Told>{{IdleCause::device, 200, 300}}));
}

}  // namespace
}  // namespace ts::capture
