// Simulations beside closed forms: the ring, the bubble of a pipeline, the period of a loader, and
// the expected largest of n normal numbers.
#include "core/simulate/simulation.h"

#include <gtest/gtest.h>

#include <cmath>
#include <initializer_list>
#include <map>
#include <string>

namespace ts::simulate {
namespace {

using Settings = std::initializer_list<const char*>;

Outcome run(const char* id, Settings settings = {}) {
  const Simulation& simulation = **simulation_from(id);
  calculate::Chosen chosen(simulation.id, simulation.inputs);
  for (const char* const setting : settings) EXPECT_TRUE(chosen.set(setting)) << setting;
  return simulation.run(chosen);
}

// Nothing in a lane overlaps, and nothing ends before it begins.
void expect_whole(const Outcome& outcome) {
  std::map<std::size_t, double> ends;
  for (const Interval& one : outcome.timeline) {
    ASSERT_LT(one.lane, outcome.lanes.size());
    EXPECT_LE(one.begin, one.end) << one.name;
    EXPECT_GE(one.begin, ends[one.lane] - 1e-12) << one.name;
    ends[one.lane] = one.end;
  }
}

TEST(DataParallel, OneRankOnlyComputes) {
  const Outcome one = run("data_parallel", {"ranks=1", "spread_percent=0"});
  EXPECT_EQ(one.value("communication"), 0);
  EXPECT_NEAR(one.value("step_time"), 0.6, 1e-12);
  EXPECT_NEAR(one.value("efficiency"), 1, 1e-12);
}

TEST(DataParallel, AllInOneBucketIsTheClosedFormOfTheRing) {
  const Outcome one = run("data_parallel", {"spread_percent=0", "first_bucket_kib=1000000000",
                                            "hierarchical=0", "link_us=0", "node_us=0"});
  const double ring = 2 * 63.0 / 64 * 14e9 / 25e9;
  EXPECT_EQ(one.value("buckets"), 1);
  EXPECT_NEAR(one.value("communication"), ring, 1e-9);
  EXPECT_NEAR(one.value("exposed"), ring, 1e-9) << "nothing is ready before the backward ends";
  EXPECT_NEAR(one.value("step_time"), 0.6 + ring, 1e-9);
}

TEST(DataParallel, WithFastLinksOnlyTheLastBucketIsExposed) {
  const Outcome fast =
      run("data_parallel", {"spread_percent=0", "ranks=8", "node_us=0", "node_gbs=100000",
                            "first_bucket_kib=61000", "bucket_mib=50"});
  // 224 equal tensors of 62.5 MB; each is larger than both limits.
  EXPECT_EQ(fast.value("buckets"), 224);
  const double last = 2 * 7.0 / 8 * 62.5e6 / 100'000e9;
  EXPECT_NEAR(fast.value("exposed"), last, 1e-12);
  EXPECT_NEAR(fast.value("overlapped"), 1 - 1.0 / 224, 1e-9);
}

TEST(DataParallel, TheHierarchyMovesAShareBetweenTheNodes) {
  const Settings base = {"spread_percent=0", "first_bucket_kib=1000000000", "link_us=0",
                         "node_us=0"};
  const double inside = 2 * 7.0 / 8 * 14e9 / 300e9;
  const double between = 2 * 7.0 / 8 * 14e9 / 8 / 25e9;
  EXPECT_NEAR(run("data_parallel", base).value("communication"), inside + between, 1e-9);
}

TEST(DataParallel, SmallAndHugeBucketsAreSlowerThanThoseBetween) {
  const auto time = [](const char* bucket, const char* first) {
    return run("data_parallel",
               {"spread_percent=0", "params=350000000", "tensors=12", "ranks=64", "hierarchical=0",
                "link_us=2", "forward_ms=20", "backward_ms=60", bucket, first})
        .value("step_time");
  };
  const double small = time("bucket_mib=1", "first_bucket_kib=1024");
  const double middle = time("bucket_mib=25", "first_bucket_kib=1024");
  const double huge = time("bucket_mib=100000", "first_bucket_kib=1000000000");
  EXPECT_LT(middle, small);
  EXPECT_LT(middle, huge);
}

// The largest of n normal numbers is on average 1.5388, 2.5076 and 3.2414 deviations above the
// mean (Tippett 1925: n = 10, 100, 1000).
TEST(DataParallel, TheSlowestRankIsAsFarOffAsStatisticsSay) {
  for (const auto& [ranks, expected] :
       {std::pair("ranks=10", 1.5388), std::pair("ranks=100", 2.5076),
        std::pair("ranks=1000", 3.2414)}) {
    const Outcome many = run("data_parallel", {ranks, "spread_percent=5", "steps=1000"});
    EXPECT_NEAR(many.value("wait_slowest") / (0.6 * 0.05), expected, 0.06) << ranks;
  }
}

TEST(DataParallel, AddsUpAndRepeatsWithItsSeed) {
  const Outcome a = run("data_parallel", {"ranks=16384", "steps=20"});
  EXPECT_NEAR(a.value("compute") + a.value("wait_slowest") + a.value("exposed"),
              a.value("step_time"), 1e-9);
  EXPECT_GE(a.value("step_p95"), a.value("step_time") * 0.99);
  EXPECT_EQ(a.value("step_time"),
            run("data_parallel", {"ranks=16384", "steps=20"}).value("step_time"));
  EXPECT_NE(a.value("step_time"),
            run("data_parallel", {"ranks=16384", "steps=20", "seed=1"}).value("step_time"));
  EXPECT_EQ(a.lanes.size(), 16U);
  expect_whole(a);
}

TEST(Pipeline, TheBubbleIsThatOfThePaper) {
  for (const char* const schedule : {"one_f_one_b=0", "one_f_one_b=1"}) {
    for (const auto& [stages, p] :
         {std::pair("pipeline_stages=1", 1.0), std::pair("pipeline_stages=4", 4.0),
          std::pair("pipeline_stages=16", 16.0)}) {
      for (const auto& [batches, m] :
           {std::pair("micro_batches=1", 1.0), std::pair("micro_batches=8", 8.0),
            std::pair("micro_batches=64", 64.0)}) {
        const Outcome one = run("pipeline", {schedule, stages, batches});
        EXPECT_NEAR(one.value("bubble"), (p - 1) / (m + p - 1), 1e-12) << stages << batches;
        EXPECT_EQ(one.timeline.size(), static_cast<std::size_t>(2 * p * m));
        EXPECT_EQ(one.value("kept_batches"),
                  std::string_view(schedule).ends_with('1') ? std::min(p, m) : m);
        expect_whole(one);
      }
    }
  }
}

TEST(Pipeline, SendingMakesItLonger) {
  const double without = run("pipeline", {"one_f_one_b=0"}).value("step_time");
  EXPECT_NEAR(run("pipeline", {"one_f_one_b=0", "send_us=1000"}).value("step_time") - without,
              0.006, 1e-12)
      << "three sends forward and three back";
}

TEST(Loader, ThePeriodIsTheSlowestOfItsParts) {
  // The exercise of the course: 12.5 ms of reading, 20 of copying, 15 on the GPU.
  const Outcome course = run("loader");
  EXPECT_NEAR(course.value("period"), 0.020, 1e-9);
  EXPECT_EQ(course.value("enough_workers"), 3);
  expect_whole(course);
  const Outcome slow = run("loader", {"workers=1"});
  EXPECT_NEAR(slow.value("period"), 0.050, 1e-9);
  EXPECT_NEAR(slow.value("waits_for_data"), 0.7, 0.01);
  const Outcome bound = run("loader", {"step_ms=100", "batches=1000"});
  EXPECT_NEAR(bound.value("period"), 0.100, 1e-9);
  EXPECT_NEAR(bound.value("waits_for_data"), 0, 1e-9);
  EXPECT_EQ(bound.value("enough_workers"), 1);
}

TEST(Loader, PrefetchLimitsWhatIsMadeAhead) {
  const Outcome one = run("loader", {"step_ms=100", "prefetch=1", "workers=2", "batches=50"});
  const Outcome many = run("loader", {"step_ms=100", "prefetch=8", "workers=2", "batches=50"});
  EXPECT_LT(one.value("latency"), many.value("latency"));
  EXPECT_NEAR(one.value("all_batches"), many.value("all_batches"), 1e-9);
}

TEST(Simulations, TheTraceHasEveryInterval) {
  for (const Simulation& simulation : simulations()) {
    const Outcome outcome = simulation.run(calculate::Chosen(simulation.id, simulation.inputs));
    const trace_file::TraceFile trace = trace_of(outcome);
    EXPECT_EQ(trace.events.size(), outcome.timeline.size());
    EXPECT_EQ(trace.tracks.size(), outcome.lanes.size());
    for (const Figure& figure : outcome.figures)
      EXPECT_TRUE(std::isfinite(figure.value)) << simulation.id << " " << figure.name;
  }
}

TEST(Simulations, AtTheEndsOfAllRangesTheFiguresAreNumbers) {
  for (const Simulation& simulation : simulations()) {
    for (const bool most : {false, true}) {
      calculate::Chosen chosen(simulation.id, simulation.inputs);
      for (std::size_t i = 0; i < simulation.inputs.size(); ++i) {
        const calculate::Input& input = simulation.inputs[i];
        const bool large = std::string_view(input.name) == "steps";
        ASSERT_TRUE(chosen.set(i, most && !large ? input.most : input.least));
      }
      for (const Figure& figure : simulation.run(chosen).figures)
        EXPECT_TRUE(std::isfinite(figure.value)) << simulation.id << " " << figure.name;
    }
  }
}

}  // namespace
}  // namespace ts::simulate
