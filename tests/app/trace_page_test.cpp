#include "app/output/trace_page.h"

#include <gtest/gtest.h>

#include <string>

namespace ts::app {
namespace {

// The kernel stays, though the operator lasts longer.
TEST(TracePage, LeavesOutWhatIsShortAndOfThreadsFirst) {
  trace::TraceStore store;
  base::StringTable strings;
  const auto thread = store.add_track({.name = "thread 1"});
  const auto stream = store.add_track({trace::TrackKind::gpu_stream, "GPU 0 stream 7", 0});
  const auto add = [&](trace::TrackId track, std::int64_t begin, std::int64_t length,
                       const char* name) {
    trace::Slice slice;
    slice.begin_ns = begin;
    slice.duration_ns = length;
    slice.name = strings.intern(name);
    store.append(track, 0, slice);
  };
  add(thread, 0, 50, "short");
  add(thread, 100, 900, "long");
  add(stream, 10, 20, "kernel");
  const std::string page = trace_page(store, strings, "a", {}, 2);
  EXPECT_NE(page.find("\"kernel\""), std::string::npos);
  EXPECT_NE(page.find("\"long\""), std::string::npos);
  EXPECT_EQ(page.find("\"short\""), std::string::npos);
  EXPECT_NE(page.find("Left out: 1 slice, the shortest, those of threads first."),
            std::string::npos);
}

}  // namespace
}  // namespace ts::app
