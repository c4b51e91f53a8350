// The search for the edge of memory, with probes that are made up.
#include "core/run/hunt.h"

#include <gtest/gtest.h>

#include <cmath>
#include <random>

namespace ts::run {
namespace {

// Fits while `bytes(spec)` is at most `capacity`.
Probe within(std::int64_t capacity, const std::function<std::int64_t(const WorkloadSpec&)>& bytes,
             int* asked = nullptr) {
  return [=](const WorkloadSpec& spec) -> base::Result<ProbeAnswer> {
    if (asked != nullptr) ++*asked;
    const std::int64_t needed = bytes(spec);
    return ProbeAnswer{needed <= capacity ? Fit::fits : Fit::oom,
                       needed,
                       {needed <= capacity ? "fits" : "OOM", {}, {}}};
  };
}

std::int64_t t_of(const WorkloadSpec& spec) {
  return spec.seq_len;
}

TEST(HuntAxis, IsReadFromText) {
  const auto whole = parse_hunt_axis("T");
  ASSERT_TRUE(whole.has_value());
  EXPECT_EQ(whole->low, 1);
  EXPECT_EQ(whole->high, field_range(Field::T).max);
  const auto part = parse_hunt_axis("B=2:1k");
  ASSERT_TRUE(part.has_value());
  EXPECT_EQ(part->field, Field::B);
  EXPECT_EQ(part->low, 2);
  EXPECT_EQ(part->high, 1000);
  for (const char* bad : {"", "seed", "backend", "memory_limit", "T=", "T=5", "T=9:3", "T=x:9",
                          "T=0:9", "T=1:2:3", "nonsense=1:2"}) {
    const auto axis = parse_hunt_axis(bad);
    ASSERT_FALSE(axis.has_value()) << bad;
    EXPECT_FALSE(axis.error().sentence.empty());
  }
}

TEST(HuntEdge, FindsEveryEdgeExactly) {
  std::mt19937_64 random(3);
  const HuntAxis axis = *parse_hunt_axis("T");
  for (int i = 0; i < 300; ++i) {
    const std::int64_t edge =
        static_cast<std::int64_t>(std::exp2(std::uniform_real_distribution<>(0, 20)(random)));
    int asked = 0;
    const auto hunt = hunt_edge({}, axis, "a card", within(edge, t_of, &asked), {});
    ASSERT_TRUE(hunt.has_value());
    if (edge >= axis.high) continue;
    ASSERT_TRUE(hunt->fits && hunt->oom);
    EXPECT_EQ(*hunt->fits, edge);
    EXPECT_EQ(*hunt->oom, edge + 1);
    EXPECT_LE(asked, 42) << "twice the logarithm";
    EXPECT_EQ(static_cast<std::size_t>(asked), hunt->probes.size()) << "every probe is logged";
  }
}

TEST(HuntEdge, NeverFitsAndAlwaysFitsHaveTheirSentence) {
  const HuntAxis axis = *parse_hunt_axis("T=16:4096");
  const auto never = hunt_edge({}, axis, "RTX 4090", within(15, t_of), {});
  EXPECT_FALSE(never->fits.has_value());
  EXPECT_EQ(*never->oom, 16);
  EXPECT_EQ(never->sentence, "T never fits RTX 4090: T = 16 is already out of memory");
  EXPECT_EQ(never->probes.size(), 1U);
  const auto always = hunt_edge({}, axis, "RTX 4090", within(4096, t_of), {});
  EXPECT_FALSE(always->oom.has_value());
  EXPECT_EQ(always->sentence, "Every T up to 4,096 fits RTX 4090");
  const auto between = hunt_edge({}, axis, "RTX 4090", within(2176, t_of), {});
  EXPECT_EQ(between->sentence, "The largest T that fits RTX 4090 is 2,176");
  const auto one = hunt_edge({}, {Field::T, 64, 64}, "RTX 4090", within(64, t_of), {});
  EXPECT_EQ(*one->fits, 64);
}

TEST(HuntEdge, TightCounts) {
  const Probe tight = [](const WorkloadSpec& spec) -> base::Result<ProbeAnswer> {
    const Fit fit = spec.seq_len <= 100   ? Fit::fits
                    : spec.seq_len <= 120 ? Fit::fits_after_flush
                                          : Fit::oom;
    return ProbeAnswer{fit, spec.seq_len, {}};
  };
  EXPECT_EQ(*hunt_edge({}, *parse_hunt_axis("T"), "x", tight, {})->fits, 120);
}

TEST(HuntEdge, PassesOverImpossibleValues) {
  WorkloadSpec spec;
  spec.workload = WorkloadKind::block;
  spec.heads = 12;
  const auto hunt =
      hunt_edge(spec, *parse_hunt_axis("d_model"), "x",
                within(1000, [](const WorkloadSpec& one) { return one.d_model; }), {});
  ASSERT_TRUE(hunt.has_value()) << hunt.error().sentence;
  for (const HuntProbe& probe : hunt->probes) EXPECT_EQ(probe.at[0] % 12, 0) << probe.at[0];
  EXPECT_LE(*hunt->fits, 1000);
  EXPECT_GT(*hunt->oom, 1000);
  EXPECT_LE(*hunt->oom - *hunt->fits, 24);
  const auto none = hunt_edge(spec, {Field::d_model, 13, 13}, "x", within(1, t_of), {});
  ASSERT_FALSE(none.has_value());
  EXPECT_NE(none.error().sentence.find("No value"), std::string::npos);
}

TEST(HuntEdge, CancelKeepsWhatIsKnownAndErrorsEndIt) {
  const base::CancelToken cancel;
  int asked = 0;
  const Probe probe = [&](const WorkloadSpec& spec) -> base::Result<ProbeAnswer> {
    if (++asked == 3) cancel.cancel();
    return ProbeAnswer{spec.seq_len <= 1000 ? Fit::fits : Fit::oom, 0, {}};
  };
  const auto hunt = hunt_edge({}, *parse_hunt_axis("T"), "x", probe, cancel);
  EXPECT_TRUE(hunt->cancelled);
  EXPECT_EQ(hunt->probes.size(), 3U);
  EXPECT_EQ(*hunt->fits, 4);
  const Probe fails = [](const WorkloadSpec&) -> base::Result<ProbeAnswer> {
    return base::fail("no meta kernel");
  };
  EXPECT_EQ(hunt_edge({}, *parse_hunt_axis("T"), "x", fails, {}).error().sentence,
            "no meta kernel");
}

TEST(HuntAxis, ZoomsAboutAPlaceAndStaysInside) {
  const FieldRange limits{1, 65536};
  const HuntAxis axis{Field::T, 128, 8192};
  const HuntAxis closer = zoomed(axis, 1024, 0.5, limits, 20);
  EXPECT_EQ(closer.low, 362);  // halfway to 128 in the logarithm
  EXPECT_EQ(closer.high, 2896);
  const HuntAxis back = zoomed(closer, 1024, 2, limits, 20);
  EXPECT_NEAR(static_cast<double>(back.low), 128, 2);
  EXPECT_NEAR(static_cast<double>(back.high), 8192, 10);
  // From any range and place: inside the limits, never upside down, closer is never wider.
  for (std::int64_t low = 1; low < 3000; low = low * 2 + 1) {
    for (std::int64_t high = low; high < 60000; high = high * 3 + 1) {
      for (const std::int64_t centre : {low, (low + high) / 2, high, std::int64_t{5}}) {
        const HuntAxis one{Field::T, low, high};
        const HuntAxis in = zoomed(one, centre, 0.5, limits, 20);
        EXPECT_LE(in.low, in.high);
        EXPECT_GE(in.low, low);
        EXPECT_LE(in.high, high);
        EXPECT_GE(in.high - in.low, std::min<std::int64_t>(high - low, 19));
        const HuntAxis out = zoomed(one, centre, 2, limits, 20);
        EXPECT_LE(out.low, low);
        EXPECT_GE(out.high, high);
        EXPECT_GE(out.low, limits.min);
        EXPECT_LE(out.high, limits.max);
      }
    }
  }
}

}  // namespace
}  // namespace ts::run
