// bytes() against what the heap says, and the promise of 10 M slices in half a gigabyte.
#include <gtest/gtest.h>
#include <malloc.h>

#include <cstddef>
#include <cstdint>

#include "core/trace/trace_store.h"

namespace ts::trace {
namespace {

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
constexpr bool kOwnHeap = false;  // the sanitizer's heap is not malloc's
constexpr std::uint32_t kSlices = 1'000'000;
#else
constexpr bool kOwnHeap = true;
constexpr std::uint32_t kSlices = 10'000'000;
#endif

std::size_t heap_in_use() {
  const struct mallinfo2 info = ::mallinfo2();
  return info.uordblks + info.hblkhd;
}

TEST(TraceSize, TenMillionSlicesFitInHalfAGigabyte) {
  const std::size_t before = heap_in_use();
  TraceStore store;
  constexpr std::uint16_t kDepths = 8;
  const TrackId forward = store.add_track({});
  const TrackId backward =
      store.add_track({.kind = TrackKind::autograd_thread, .name = "autograd"});
  // The worst case: every slice is one end of a link.
  constexpr std::uint32_t kFlows = kSlices / 2;
  for (std::uint32_t i = 0; i < kFlows; ++i) {
    const auto depth = static_cast<std::uint16_t>(i % kDepths);
    Slice slice{.begin_ns = std::int64_t{i} * 100, .duration_ns = 40, .name = i % 500};
    slice.flow = i + 1;
    store.append(forward, depth, slice);
    slice.flow = kFlows - i;
    store.append(backward, depth, slice);
  }
  ASSERT_EQ(store.slice_count(), kSlices);
  EXPECT_LE(store.bytes(), std::size_t{50} * kSlices);
  RecordProperty("bytes_a_slice", static_cast<int>(store.bytes() / kSlices));
  if (!kOwnHeap) GTEST_SKIP() << "the heap cannot be asked under a sanitizer";
  const auto used = static_cast<double>(heap_in_use() - before);
  EXPECT_LE(used, 0.5e9);
  EXPECT_NEAR(static_cast<double>(store.bytes()), used, 0.02 * used);
}

TEST(TraceSize, AShortLaneCostsLittle) {
  TraceStore store;
  store.add_track({});
  store.append(0, 0, {.begin_ns = 0, .duration_ns = 1});
  EXPECT_LE(store.bytes(), 128U * 1024U);
}

}  // namespace
}  // namespace ts::trace
