// How axes and series are read, and which sweeps are refused.
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "core/base/coarse_to_fine.h"
#include "core/sweep/sweep_spec.h"

namespace ts::sweep {
namespace {

using Values = std::vector<std::int64_t>;

Values values(const char* text) {
  const auto axis = parse_axis(text);
  EXPECT_TRUE(axis.has_value()) << text << ": " << (axis ? "" : axis.error().sentence);
  return axis ? axis->values : Values{};
}

std::string axis_problem(const char* text) {
  const auto axis = parse_axis(text);
  EXPECT_FALSE(axis.has_value()) << text;
  return axis ? "" : axis.error().sentence;
}

TEST(SweepAxis, ListsAreSortedAndEachValueCountsOnce) {
  EXPECT_EQ(values("T=1024,256,512,256"), (Values{256, 512, 1024}));
  EXPECT_EQ(values("T=1Ki"), (Values{1024}));
  EXPECT_EQ(values("memory_limit=1GiB,512MiB"), (Values{512LL << 20, 1LL << 30}));
}

TEST(SweepAxis, Ranges) {
  EXPECT_EQ(values("T=256:2048:x2"), (Values{256, 512, 1024, 2048}));
  EXPECT_EQ(values("T=100:800:x1.5"), (Values{100, 150, 225, 338, 506, 759}));
  EXPECT_EQ(values("B=1:9:+4"), (Values{1, 5, 9}));
  EXPECT_EQ(values("B=1:10:+4"), (Values{1, 5, 9}));
  EXPECT_EQ(values("T=256:2048"), (Values{256, 512, 1024, 2048}));
  EXPECT_EQ(values("T=300:1100"), (Values{512, 1024}));
  EXPECT_EQ(values("B=4:4:+1"), (Values{4}));
  EXPECT_EQ(values("B=1:4:x1.1"), (Values{1, 2, 3, 4})) << "each rounded value once";
  EXPECT_EQ(values("memory_limit=1GiB:2GiB:+512MiB").size(), 3U);
}

TEST(SweepAxis, EverySettingThatIsANumber) {
  for (const char* text : {"threads=1,2,4", "warmups=0,1,2,5", "tile_q=16:128", "tile_k=16:128:x2",
                           "checkpoint_every=1,2,3", "accumulate=1:8:x2", "kv_heads=1:8",
                           "memory_limit=1GiB,2GiB", "seed=1"}) {
    const auto axis = parse_axis(text);
    EXPECT_EQ(axis.has_value(), std::string(text) != "seed=1") << text;
  }
  EXPECT_EQ(parse_axis("warmups=5,0")->values, (std::vector<std::int64_t>{0, 5}));
  EXPECT_FALSE(parse_axis("warmups=auto,1")) << "that is no number";
  EXPECT_FALSE(parse_axis("warmups=3")) << "and that no choice";
  SweepSpec spec;
  spec.axes = {*parse_axis("warmups=0,2")};
  EXPECT_EQ(spec_at(spec, series_of(spec)[0], {2})->warmups, spec::Warmups::two);
}

TEST(SweepAxis, BadOnesHaveOneSentence) {
  EXPECT_NE(axis_problem("T").find("SETTING=VALUES"), std::string::npos);
  EXPECT_NE(axis_problem("=4").find("SETTING=VALUES"), std::string::npos);
  EXPECT_NE(axis_problem("T=").find("SETTING=VALUES"), std::string::npos);
  EXPECT_NE(axis_problem("tokens=4").find("There is no setting"), std::string::npos);
  EXPECT_NE(axis_problem("seq_len=4").find("did you mean T"), std::string::npos);
  EXPECT_NE(axis_problem("backend=naive").find("not a number"), std::string::npos);
  EXPECT_NE(axis_problem("T=many").find("whole number"), std::string::npos);
  EXPECT_NE(axis_problem("T=256,,512").find("whole number"), std::string::npos);
  EXPECT_NE(axis_problem("T=0").find("between"), std::string::npos);
  EXPECT_NE(axis_problem("T=-5:9:+1").find("between"), std::string::npos);
  EXPECT_NE(axis_problem("T=2048:256:x2").find("upwards"), std::string::npos);
  EXPECT_NE(axis_problem("T=1:2:3:4").find("FROM:TO"), std::string::npos);
  EXPECT_NE(axis_problem("T=256:2048:*2").find("x2"), std::string::npos);
  EXPECT_NE(axis_problem("T=256:2048:x").find("x2"), std::string::npos);
  EXPECT_NE(axis_problem("T=256:2048:x1").find("above 1"), std::string::npos);
  EXPECT_NE(axis_problem("T=256:2048:xnan").find("above 1"), std::string::npos);
  EXPECT_NE(axis_problem("T=256:2048:x-2").find("above 1"), std::string::npos);
  EXPECT_NE(axis_problem("T=256:2048:+0").find("above 0"), std::string::npos);
  EXPECT_NE(axis_problem("T=300:500").find("no power of two"), std::string::npos);
  EXPECT_NE(axis_problem("T=1:100000:+1").find("may have"), std::string::npos);
  EXPECT_NE(axis_problem("memory_limit=0:1GiB:x2").find("multiplied"), std::string::npos);
}

TEST(SweepSeries, ValuesAreReadAsSettings) {
  const auto series = parse_series("backend=naive,flash,naive");
  ASSERT_TRUE(series.has_value());
  EXPECT_EQ(series->values, (std::vector<std::string>{"naive", "flash"}));
  EXPECT_FALSE(parse_series("backend=fast").has_value());
  EXPECT_FALSE(parse_series("backend").has_value());
  EXPECT_FALSE(parse_series("colour=red").has_value());
}

SweepSpec two_series() {
  SweepSpec spec;
  spec.axes = {*parse_axis("T=256:1024:x2"), *parse_axis("B=1,2")};
  spec.series = {*parse_series("backend=naive,flash"), *parse_series("layers=2")};
  spec.base.workload = spec::WorkloadKind::lm;
  return spec;
}

TEST(SweepSpec, EveryCombinationIsASeries) {
  SweepSpec spec = two_series();
  spec.series.push_back(*parse_series("dtype=fp32,bf16"));
  const auto series = series_of(spec);
  ASSERT_EQ(series.size(), 4U);
  EXPECT_EQ(series[0].label, "naive, layers = 2, fp32");
  EXPECT_EQ(series[3].label, "flash, layers = 2, bf16");
  EXPECT_EQ(series[3].base.dtype, spec::DataType::bf16);
  EXPECT_EQ(series[3].base.backend, spec::AttentionBackend::flash);
  EXPECT_EQ(series[3].base.layers, 2);
}

TEST(SweepSpec, WithoutSeriesTheBackendNamesTheOneThereIs) {
  SweepSpec spec;
  spec.base.backend = spec::AttentionBackend::flash;
  EXPECT_EQ(series_of(spec).at(0).label, "flash");
  spec.base.workload = spec::WorkloadKind::mlp;
  EXPECT_EQ(series_of(spec).at(0).label, "mlp");
}

TEST(SweepSpec, PlacesRunAlongTheFirstAxisFirst) {
  const auto places = places_of(two_series());
  ASSERT_EQ(places.size(), 6U);
  EXPECT_EQ(places[0], (Values{256, 1}));
  EXPECT_EQ(places[1], (Values{512, 1}));
  EXPECT_EQ(places[5], (Values{1024, 2}));
}

std::string refusal(const SweepSpec& spec) {
  const auto good = check(spec);
  EXPECT_FALSE(good.has_value());
  return good ? "" : good.error().sentence;
}

TEST(SweepSpec, WhatDoesNotGoTogetherIsRefused) {
  EXPECT_TRUE(check(two_series()).has_value());
  SweepSpec spec;
  EXPECT_NE(refusal(spec).find("one or two axes"), std::string::npos);
  spec.axes = {*parse_axis("T=256"), *parse_axis("T=512")};
  EXPECT_NE(refusal(spec).find("twice"), std::string::npos);
  spec.axes = {*parse_axis("T=256")};
  spec.series = {*parse_series("T=512")};
  EXPECT_NE(refusal(spec).find("twice"), std::string::npos);
  spec.series.clear();
  spec.axes = {*parse_axis("layers=1,2")};
  EXPECT_NE(refusal(spec).find("changes nothing for attention"), std::string::npos);
  spec.axes = {*parse_axis("T=1:1000:+1"), *parse_axis("B=1:1000:+1")};
  EXPECT_NE(refusal(spec).find("1000000"), std::string::npos);
  spec.axes = {{spec::Field::T, {512, 256}}};
  EXPECT_NE(refusal(spec).find("ascend"), std::string::npos);
  spec.axes = {*parse_axis("T=256")};
  spec.max_point_s = 0;
  EXPECT_NE(refusal(spec).find("above 0"), std::string::npos);
}

TEST(SweepSpec, OnlyImpossiblePointsAreRefusedSomeAreNot) {
  SweepSpec spec;
  spec.base.workload = spec::WorkloadKind::block;
  spec.base.heads = 8;
  spec.axes = {*parse_axis("d_model=129,131")};
  EXPECT_NE(refusal(spec).find("No point"), std::string::npos);
  spec.axes = {*parse_axis("d_model=129,256,513")};
  EXPECT_TRUE(check(spec).has_value());
}

TEST(SweepSpec, JsonRoundTripIsExact) {
  SweepSpec spec = two_series();
  spec.max_point_s = 0.1;
  spec.protocol.budget_s = 1.0 / 3;
  const auto again = sweep_spec_from_json(nlohmann::json::parse(to_json(spec).dump()));
  ASSERT_TRUE(again.has_value()) << again.error().sentence;
  EXPECT_TRUE(*again == spec);
  EXPECT_FALSE(*again == two_series());
}

TEST(SweepSpec, BrokenJsonIsASentence) {
  const nlohmann::json good = to_json(two_series());
  for (const auto& [key, value] : good.items()) {
    nlohmann::json broken = good;
    broken.erase(key);
    EXPECT_FALSE(sweep_spec_from_json(broken).has_value()) << key;
    broken[key] = "x";
    EXPECT_FALSE(sweep_spec_from_json(broken).has_value()) << key;
  }
  EXPECT_FALSE(sweep_spec_from_json(nullptr).has_value());
}

TEST(SweepOrder, CoarseToFineVisitsAllOnce) {
  EXPECT_TRUE(base::coarse_to_fine(0).empty());
  EXPECT_EQ(base::coarse_to_fine(1), (std::vector<std::size_t>{0}));
  EXPECT_EQ(base::coarse_to_fine(2), (std::vector<std::size_t>{0, 1}));
  EXPECT_EQ(base::coarse_to_fine(5), (std::vector<std::size_t>{0, 2, 4, 1, 3}));
  for (std::size_t n = 1; n < 70; ++n) {
    auto order = base::coarse_to_fine(n);
    std::sort(order.begin(), order.end());
    for (std::size_t i = 0; i < n; ++i) ASSERT_EQ(order[i], i) << n;
  }
}

TEST(SweepOrder, GridsToo) {
  EXPECT_EQ(base::coarse_to_fine(2, 2), (std::vector<std::size_t>{0, 1, 2, 3}));
  const auto order = base::coarse_to_fine(5, 4);
  auto sorted = order;
  std::sort(sorted.begin(), sorted.end());
  for (std::size_t i = 0; i < 20; ++i) ASSERT_EQ(sorted[i], i);
  // The first nine places are the corners, the middles of the sides and the middle.
  for (std::size_t i = 0; i < 9; ++i) {
    const std::size_t x = order[i] % 5;
    const std::size_t y = order[i] / 5;
    EXPECT_TRUE(x == 0 || x == 2 || x == 4) << x;
    EXPECT_TRUE(y == 0 || y == 1 || y == 3) << y;
  }
}

}  // namespace
}  // namespace ts::sweep
