// The search for the edge of memory, with probes that are made up.
#include "core/predict/hunt.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <random>

namespace ts::predict {
namespace {

// Fits while `bytes(spec)` is at most `capacity`.
Probe within(std::int64_t capacity,
             const std::function<std::int64_t(const spec::WorkloadSpec&)>& bytes,
             int* asked = nullptr) {
  return [=](const spec::WorkloadSpec& spec) -> base::Result<ProbeAnswer> {
    if (asked != nullptr) ++*asked;
    const std::int64_t needed = bytes(spec);
    return ProbeAnswer{needed <= capacity ? Fit::fits : Fit::oom,
                       needed,
                       {needed <= capacity ? "fits" : "OOM", {}, {}}};
  };
}

std::int64_t t_of(const spec::WorkloadSpec& spec) {
  return spec.seq_len;
}

TEST(HuntAxis, IsReadFromText) {
  const auto whole = parse_hunt_axis("T");
  ASSERT_TRUE(whole.has_value());
  EXPECT_EQ(whole->low, 1);
  EXPECT_EQ(whole->high, spec::field_range(spec::Field::T).max);
  const auto part = parse_hunt_axis("B=2:1k");
  ASSERT_TRUE(part.has_value());
  EXPECT_EQ(part->field, spec::Field::B);
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
  EXPECT_EQ(never->sentence, "No T from 16 to 4,096 fits RTX 4090: T = 16 is already out of memory")
      << "what lies below was not asked";
  const HuntAxis whole = *parse_hunt_axis("T");
  EXPECT_EQ(hunt_edge({}, whole, "RTX 4090", within(0, t_of), {})->sentence,
            "T never fits RTX 4090: T = 1 is already out of memory");
  EXPECT_EQ(never->probes.size(), 1U);
  const auto always = hunt_edge({}, axis, "RTX 4090", within(4096, t_of), {});
  EXPECT_FALSE(always->oom.has_value());
  EXPECT_EQ(always->sentence, "Every T up to 4,096 fits RTX 4090");
  const auto between = hunt_edge({}, axis, "RTX 4090", within(2176, t_of), {});
  EXPECT_EQ(between->sentence, "The largest T that fits RTX 4090 is 2,176");
  const auto one = hunt_edge({}, {spec::Field::T, 64, 64}, "RTX 4090", within(64, t_of), {});
  EXPECT_EQ(*one->fits, 64);
}

// Tensors of 1 / `full` of what there is for each value, of which nine tenths are well packed.
Probe packed(std::int64_t full, const std::function<bool(std::int64_t)>& fits, int* asked) {
  return [=](const spec::WorkloadSpec& spec) -> base::Result<ProbeAnswer> {
    ++*asked;
    ProbeAnswer answer{fits(spec.seq_len) ? Fit::fits : Fit::oom, spec.seq_len, {}};
    const double live = static_cast<double>(spec.seq_len) / static_cast<double>(full);
    answer.filling = {live, live / 0.9};
    return answer;
  };
}

// The language model of the course on an RTX 4090: 2,307 to 2,318 fit after a flush, and so that a
// hole below the edge is found, too, 2,240 is refused here.
TEST(HuntEdge, LargerValuesThatFitAgainAreFound) {
  const HuntAxis axis = *parse_hunt_axis("T");
  const auto fits = [](std::int64_t value) {
    return (value <= 2287 && value != 2241) || (value >= 2307 && value <= 2318) || value == 2372;
  };
  int asked = 0;
  const Probe probe = packed(2372, fits, &asked);
  auto hunt = hunt_edge({}, axis, "RTX 4090", probe, {});
  ASSERT_TRUE(hunt);
  EXPECT_EQ(*hunt->fits, 2287) << "bisecting sees no more";
  ASSERT_TRUE(search_above(*hunt, {}, axis, "RTX 4090", probe, {}));
  EXPECT_EQ(*hunt->fits, 2240);
  EXPECT_EQ(*hunt->oom, 2241);
  EXPECT_EQ(hunt->again, (std::vector<EdgeHunt::Range>{{2242, 2287}, {2307, 2318}, {2372, 2372}}));
  EXPECT_EQ(*hunt->largest(), 2372);
  EXPECT_FALSE(hunt->sampled);
  EXPECT_EQ(hunt->sentence,
            "The largest T that fits RTX 4090 is 2,372, but not every smaller one does: all up to "
            "2,240, then 2,242 to 2,287, 2,307 to 2,318, 2,372");
  EXPECT_LT(asked, 360);
  for (const std::int64_t end : {2307, 2318, 2319, 2372}) {
    EXPECT_TRUE(std::any_of(hunt->probes.begin(), hunt->probes.end(), [end](const HuntProbe& one) {
      return one.at[0] == end;
    })) << end;
  }
}

TEST(HuntEdge, NothingMoreIsAskedWhereTheTensorsThemselvesAreTooLarge) {
  const HuntAxis axis = *parse_hunt_axis("T");
  int asked = 0;
  const Probe probe = packed(
      2287, [](std::int64_t value) { return value <= 2287; }, &asked);
  auto hunt = hunt_edge({}, axis, "x", probe, {});
  const int before = asked;
  ASSERT_TRUE(search_above(*hunt, {}, axis, "x", probe, {}));
  EXPECT_EQ(asked, before);
  EXPECT_EQ(hunt->sentence, "The largest T that fits x is 2,287");
}

TEST(HuntEdge, AWideRangeAboveIsSampledAndACancelledSearchChangesNothing) {
  const HuntAxis axis = *parse_hunt_axis("T");
  int asked = 0;
  const Probe probe = packed(
      90'000, [](std::int64_t value) { return value <= 70'000 || value > 80'000; }, &asked);
  auto hunt = hunt_edge({}, axis, "x",
                        packed(
                            90'000, [](std::int64_t value) { return value <= 70'000; }, &asked),
                        {});
  ASSERT_EQ(*hunt->fits, 70'000);
  const base::CancelToken cancelled;
  cancelled.cancel();
  EdgeHunt same = *hunt;
  ASSERT_TRUE(search_above(same, {}, axis, "x", probe, cancelled));
  EXPECT_TRUE(same.again.empty());
  asked = 0;
  ASSERT_TRUE(search_above(*hunt, {}, axis, "x", probe, {}));
  EXPECT_LT(asked, 360);
  EXPECT_TRUE(hunt->sampled);
  ASSERT_FALSE(hunt->again.empty());
  EXPECT_GT(*hunt->largest(), 89'000);
  EXPECT_NE(hunt->sentence.find("of those that were asked"), std::string::npos);
}

TEST(HuntEdge, TightCounts) {
  const Probe tight = [](const spec::WorkloadSpec& spec) -> base::Result<ProbeAnswer> {
    const Fit fit = spec.seq_len <= 100   ? Fit::fits
                    : spec.seq_len <= 120 ? Fit::fits_after_flush
                                          : Fit::oom;
    return ProbeAnswer{fit, spec.seq_len, {}};
  };
  const auto hunt = hunt_edge({}, *parse_hunt_axis("T"), "x", tight, {});
  EXPECT_EQ(*hunt->fits, 120);
  EXPECT_TRUE(hunt->largest_needs_flush());
  EXPECT_EQ(
      hunt->sentence,
      "The largest T that fits x is 120, but only after the allocator flushes its cache: slow")
      << "a verdict does not hide that it is the slow kind";
}

TEST(HuntEdge, PassesOverImpossibleValues) {
  spec::WorkloadSpec spec;
  spec.workload = spec::WorkloadKind::block;
  spec.heads = 12;
  const auto hunt =
      hunt_edge(spec, *parse_hunt_axis("d_model"), "x",
                within(1000, [](const spec::WorkloadSpec& one) { return one.d_model; }), {});
  ASSERT_TRUE(hunt.has_value()) << hunt.error().sentence;
  for (const HuntProbe& probe : hunt->probes) EXPECT_EQ(probe.at[0] % 12, 0) << probe.at[0];
  EXPECT_LE(*hunt->fits, 1000);
  EXPECT_GT(*hunt->oom, 1000);
  EXPECT_LE(*hunt->oom - *hunt->fits, 24);
  const auto none = hunt_edge(spec, {spec::Field::d_model, 13, 13}, "x", within(1, t_of), {});
  ASSERT_FALSE(none.has_value());
  EXPECT_NE(none.error().sentence.find("No value"), std::string::npos);
}

TEST(HuntEdge, CancelKeepsWhatIsKnownAndErrorsEndIt) {
  const base::CancelToken cancel;
  int asked = 0;
  const Probe probe = [&](const spec::WorkloadSpec& spec) -> base::Result<ProbeAnswer> {
    if (++asked == 3) cancel.cancel();
    return ProbeAnswer{spec.seq_len <= 1000 ? Fit::fits : Fit::oom, 0, {}};
  };
  const auto hunt = hunt_edge({}, *parse_hunt_axis("T"), "x", probe, cancel);
  EXPECT_TRUE(hunt->cancelled);
  EXPECT_EQ(hunt->probes.size(), 3U);
  EXPECT_EQ(*hunt->fits, 4);
  const Probe fails = [](const spec::WorkloadSpec&) -> base::Result<ProbeAnswer> {
    return base::fail("no meta kernel");
  };
  EXPECT_EQ(hunt_edge({}, *parse_hunt_axis("T"), "x", fails, {}).error().sentence,
            "no meta kernel");
}

TEST(HuntAxis, ZoomsAboutAPlaceAndStaysInside) {
  const spec::FieldRange limits{1, 65536};
  const HuntAxis axis{spec::Field::T, 128, 8192};
  const HuntAxis closer = zoomed(axis, 1024, 0.5, limits, 20);
  EXPECT_EQ(closer.low, 320) << "halfway to 128 in the logarithm, 362, to a natural step";
  EXPECT_EQ(closer.high, 3072);
  const HuntAxis back = zoomed(closer, 1024, 2, limits, 20);
  EXPECT_EQ(back.low, 96);
  EXPECT_EQ(back.high, 10240);
  // From any range and place: inside the limits, never upside down, closer is never wider.
  for (std::int64_t low = 1; low < 3000; low = low * 2 + 1) {
    for (std::int64_t high = low; high < 60000; high = high * 3 + 1) {
      for (const std::int64_t centre : {low, (low + high) / 2, high, std::int64_t{5}}) {
        const HuntAxis one{spec::Field::T, low, high};
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
}  // namespace ts::predict
