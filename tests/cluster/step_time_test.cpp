#include "core/cluster/step_time.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "assets/assets.h"
#include "core/cluster/cluster_hunt.h"
#include "core/simulate/simulation.h"
#include "core/spec/gpu_catalogue.h"

namespace ts::cluster {
namespace {

using predict::Shard;

constexpr double kClose = 1e-9;

spec::WorkloadSpec model() {
  spec::WorkloadSpec spec;
  spec.workload = spec::WorkloadKind::lm;
  spec.pass = spec::Pass::full_step;
  spec.layers = 8;
  spec.accumulate = 8;
  return spec;
}

Wiring endless() {
  const Link link{.name = "endless", .gb_s = 1e12, .latency_us = 0, .source = ""};
  return {.node = 8, .inside = link, .between = link};
}

TEST(Links, NameCardsOfTheCatalogueAndTheirSources) {
  const auto links = LinkCatalogue::parse(assets::links());
  ASSERT_TRUE(links) << links.error().sentence;
  const auto gpus = spec::GpuCatalogue::parse(assets::gpus());
  ASSERT_TRUE(gpus);
  const auto document = nlohmann::json::parse(assets::links());
  for (const auto& [card, link] : document.at("cards").items()) {
    EXPECT_NE(gpus->find(card), nullptr) << card;
    EXPECT_EQ(links->of_card(card).name, link.get<std::string>());
  }
  EXPECT_EQ(links->of_card("H100 SXM").gb_s, 450);
  EXPECT_FALSE(links->require("carrier pigeon"));
  EXPECT_FALSE(LinkCatalogue::parse(R"({"links": [{"name": "x"}]})"));
}

// 2 (n - 1) / n of the bytes over the link, in 2 (n - 1) hops.
TEST(Links, RingHasItsClosedForm) {
  const Link link{.name = "", .gb_s = 100, .latency_us = 10, .source = ""};
  EXPECT_NEAR(all_reduce_s(8e9, 4, link), 2 * 0.75 * 0.08 + 6 * 10e-6, kClose);
  EXPECT_NEAR(gather_s(8e9, 4, link), 0.75 * 0.08 + 3 * 10e-6, kClose);
  EXPECT_EQ(all_reduce_s(8e9, 1, link), 0);
}

TEST(StepTime, OfAPipelineIsThatOfTheSchedule) {
  const simulate::Simulation simulation = simulate::pipeline();
  for (const std::int64_t stages : {2, 4, 8}) {
    calculate::Chosen chosen(simulation.id, simulation.inputs);
    ASSERT_TRUE(chosen.set("pipeline_stages", std::to_string(stages)));
    ASSERT_TRUE(chosen.set("micro_batches", "8"));
    const auto simulated = simulation.run(chosen);
    // A stage computes 8 (10 + 20) ms, all stages of one card that many times.
    const StepTime time = step_time(model(), {.pipeline = stages}, endless(),
                                    0.24 * static_cast<double>(stages), 1e9, 2);
    EXPECT_NEAR(time.total(), simulated.value("step_time"), 1e-6) << stages;
    EXPECT_NEAR(time.bubble / time.total(), simulated.value("bubble"), 1e-6) << stages;
  }
}

TEST(StepTime, HidesWhatComputingCovers) {
  Wiring wiring = endless();
  EXPECT_NEAR(step_time(model(), {.ranks = 8}, wiring, 1, 1e9, 2).total(), 1, 1e-6);
  // A link so slow that only communication counts: all of it stays but what the backward covers.
  wiring.inside.gb_s = 1;
  const double all = all_reduce_s(2e9, 8, wiring.inside);
  const StepTime slow = step_time(model(), {.ranks = 8}, wiring, 1, 1e9, 2);
  EXPECT_LE(slow.exposed, all);
  EXPECT_GE(slow.exposed, all - 1);
  // ZeRO-1 sends the parameters, too; ZeRO-3 gathers twice, where ZeRO-2 gathers once.
  const auto exposed = [&](Shard shard) {
    spec::WorkloadSpec spec = model();
    spec.accumulate = 1;
    return step_time(spec, {.ranks = 8, .shard = shard}, wiring, 1, 1e9, 2).exposed;
  };
  EXPECT_NEAR(exposed(Shard::zero1) - exposed(Shard::none), 2, 0.01);
  EXPECT_GT(exposed(Shard::zero3), 1.4 * exposed(Shard::zero2));
}

TEST(Modes, HaveAsManyCardsAsAsked) {
  for (int i = 0; i < kModeCount; ++i) {
    for (std::int64_t cards = 2; cards <= 64; cards *= 2) {
      const auto share = share_of(static_cast<Mode>(i), cards, 8);
      if (!share) continue;
      EXPECT_EQ(share->cards(), cards) << to_string(static_cast<Mode>(i));
      EXPECT_LE(share->tensor, 8);
    }
  }
  EXPECT_FALSE(share_of(Mode::tensor, 16, 8));
  EXPECT_FALSE(share_of(Mode::tensor_zero3, 8, 8));
}

}  // namespace
}  // namespace ts::cluster
