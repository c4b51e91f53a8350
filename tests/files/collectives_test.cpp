#include "core/files/collectives.h"

#include <gtest/gtest.h>

#include <string>
#include <string_view>

#include "core/files/merged_ranks.h"

namespace ts::files {
namespace {

using trace_file::Event;
using trace_file::EventKind;
using trace_file::TraceFile;

constexpr std::int64_t kUs = 1000;

// A rank whose clock begins at `base_us`: a worker that computes and one thread of Gloo.
struct Rank {
  explicit Rank(std::int64_t number, std::int64_t base_us) {
    file.rank = number;
    file.base_time_ns = base_us * kUs;
    file.tracks = {{"1000", "2", "python", "worker"}, {"1000", "3", "python", "autograd 7"}};
  }
  Rank& event(std::uint32_t track, std::int64_t begin_us, std::int64_t us, std::string_view name,
              std::string_view dims = "[]", std::string_view types = "[]") {
    Event one;
    one.begin_ns = begin_us * kUs;
    one.duration_ns = us * kUs;
    one.name = file.strings->intern(name);
    one.dims = file.strings->intern(dims);
    one.types = file.strings->intern(types);
    one.track = track;
    one.kind = EventKind::op;
    one.external = static_cast<std::int64_t>(file.events.size() + 1);
    file.events.push_back(one);
    return *this;
  }
  TraceFile file;
};

constexpr const char* kShape = "[[1000, 250]]";
constexpr const char* kFloat = R"(["float"])";

// Rank 1's clock is 1 ms behind: its events are 1 ms later in calendar time than they say.
std::vector<TraceFile> two_ranks() {
  Rank first(0, 5000);
  first.event(0, 0, 100, "aten::mm")
      .event(0, 110, 5, "c10d::allreduce_", kShape, kFloat)
      .event(1, 120, 400, "gloo:all_reduce", kShape, kFloat)
      .event(0, 130, 90, "aten::add");
  Rank second(1, 6000);
  second.event(0, -990, 200, "aten::mm")
      .event(0, -780, 5, "c10d::allreduce_", kShape, kFloat)
      .event(1, -680, 200, "gloo:all_reduce", kShape, kFloat);
  return {std::move(first.file), std::move(second.file)};
}

TEST(Collectives, BytesAreThoseOfTheFirstInput) {
  EXPECT_EQ(collective_bytes("gloo:all_reduce", kShape, kFloat), 1'000'000);
  EXPECT_EQ(collective_bytes("nccl:all_reduce", "[[7], [3]]", R"(["c10::BFloat16", "float"])"), 14);
  EXPECT_EQ(collective_bytes("gloo:broadcast", "[[2, 3, 4]]", R"(["long int"])"), 192);
  EXPECT_EQ(collective_bytes("aten::mm", kShape, kFloat), std::nullopt);
  EXPECT_EQ(collective_bytes("gloo:barrier", "[]", "[]"), std::nullopt);
  EXPECT_EQ(collective_bytes("gloo:all_reduce", "[[x", "[\""), std::nullopt);
}

TEST(Collectives, BusFactorIsThatOfARing) {
  EXPECT_DOUBLE_EQ(bus_factor("gloo:all_reduce", 2), 1);
  EXPECT_DOUBLE_EQ(bus_factor("gloo:all_reduce", 8), 1.75);
  EXPECT_DOUBLE_EQ(bus_factor("gloo:broadcast", 8), 1);
}

TEST(Collectives, RanksAreOnOneClock) {
  const TraceFile merged = merge_ranks(two_ranks());
  ASSERT_EQ(merged.events.size(), 7U);
  // The first one of rank 1 began 10 us after that of rank 0.
  EXPECT_EQ(merged.base_time_ns, 5000 * kUs);
  EXPECT_EQ(merged.events[0].begin_ns, 0);
  EXPECT_EQ(merged.events[1].begin_ns, 10 * kUs);
  EXPECT_EQ(merged.tracks[0].process_name, "rank 0");
  EXPECT_EQ(merged.tracks[2].process_name, "rank 1");
  EXPECT_NE(merged.tracks[0].process, merged.tracks[2].process);
  EXPECT_EQ(merged.tracks[3].thread_name, "rank 1: autograd 7");
  EXPECT_NE(merged.events[0].external, merged.events[1].external);
}

TEST(Collectives, WaitingAndOverlapAreTold) {
  TraceFile merged = merge_ranks(two_ranks());
  const Collectives found = find_collectives(merged);
  ASSERT_EQ(found.all.size(), 1U);
  const Collective& one = found.all.front();
  EXPECT_EQ(one.bytes, 1'000'000);
  EXPECT_EQ(found.issued, 1U);
  EXPECT_EQ(found.first_difference, std::nullopt);
  ASSERT_EQ(one.parts.size(), 2U);
  // Rank 0 from 120 to 520, rank 1 from 320 to 520: rank 0 waited 200 us, computed 90 of them.
  EXPECT_EQ(one.parts[0].waited_ns, 200 * kUs);
  EXPECT_EQ(one.parts[1].waited_ns, 0);
  EXPECT_EQ(one.parts[0].overlapped_ns, 90 * kUs);
  EXPECT_EQ(one.transfer_ns(), 200 * kUs);

  add_waits(merged, found);
  std::int64_t slowest = 0;
  std::int64_t exchange = 0;
  for (const Event& event : merged.events) {
    const std::string_view name = merged.strings->view(event.name);
    const bool of_first = merged.tracks[event.track].process_name == "rank 0";
    if (name == "waits for the slowest rank" && of_first) slowest += event.duration_ns;
    if (name == "waits for communication" && of_first) exchange += event.duration_ns;
    EXPECT_TRUE(name != "waits for the slowest rank" || of_first);
  }
  // The 10 us before the addition are a gap between operators.
  EXPECT_EQ(slowest, 100 * kUs);
  EXPECT_EQ(exchange, 200 * kUs);
}

TEST(Collectives, AnotherOrderIsFound) {
  std::vector<TraceFile> ranks = two_ranks();
  Rank other(1, 6000);
  other.event(0, 0, 5, "c10d::broadcast_", kShape, kFloat)
      .event(1, 10, 5, "gloo:broadcast", kShape, kFloat);
  ranks[1] = std::move(other.file);
  const Collectives found = find_collectives(merge_ranks(ranks));
  EXPECT_EQ(found.first_difference, 0U);
  EXPECT_TRUE(found.all.empty());
}

TEST(Collectives, NothingComesOfNothing) {
  EXPECT_TRUE(merge_ranks({}).events.empty());
  EXPECT_TRUE(find_collectives(merge_ranks({})).all.empty());
  EXPECT_TRUE(find_collectives(merge_ranks({TraceFile()})).all.empty());
}

}  // namespace
}  // namespace ts::files
