// The advice on real dry runs, against dry runs of every combination.
#include <gtest/gtest.h>

#include "core/advice/advice_table.h"
#include "tests/kernels/dry_run_compare.h"
#include "tests/spec/preset_spec.h"

namespace ts::kernels {
namespace {

using advice::RecipeSearch;

spec::Gpu card_of(double gigabytes) {
  spec::Gpu card;
  card.name = "a card";
  card.compute_capability = "8.9";
  card.memory_bytes = static_cast<std::int64_t>(gigabytes * (1 << 30));
  card.bandwidth_gb_s = 1008;
  card.fp32_tflops = 82.6;
  card.tf32_tflops = 82.6;
  card.bf16_tflops = 165.2;
  card.fp16_tflops = 165.2;
  return card;
}

spec::WorkloadSpec small_model(std::int64_t batch) {
  spec::WorkloadSpec spec = preset_spec(spec::WorkloadKind::lm, "small");
  spec.layers = 1;
  spec.batch = batch;
  return spec;
}

struct Asking {
  const char* name;
  spec::WorkloadSpec spec;
  predict::PredictionTarget target;
  advice::RecipeSpace space;
};

std::vector<Asking> cases() {
  const auto card = [](double gigabytes) { return predict::target_of(card_of(gigabytes)); };
  const advice::RecipeSpace all_but_optimizer = {{spec::Field::optimizer}, false};
  std::vector<Asking> all;
  all.push_back({"roomy", small_model(4), card(24), all_but_optimizer});
  all.push_back({"tight", small_model(8), card(1.6), {}});
  all.push_back({"scarce", small_model(6), card(1.2), all_but_optimizer});
  all.push_back({"hopeless", small_model(4), card(0.75), all_but_optimizer});
  spec::WorkloadSpec deep = small_model(6);
  deep.layers = 3;
  deep.seq_len = 1024;
  deep.autocast = spec::Autocast::bf16;
  all.push_back({"deep", deep, card(2.2), {{spec::Field::dtype}, false}});
  spec::WorkloadSpec attention = preset_spec(spec::WorkloadKind::attention, "lab3");
  attention.pass = spec::Pass::forward_backward;
  all.push_back({"free batch", attention, card(1.2), {{}, true}});
  all.push_back({"processor", small_model(4), predict::cpu_target("a limit", 500 << 20), {}});
  return all;
}

TEST(Advice, IsTheOptimumOfAllCombinations) {
  for (const Asking& one : cases()) {
    advice::AdviceRequest request;
    request.settings = one.spec;
    request.target = one.target;
    request.space = one.space;
    if (!one.target.card) {
      request.roofs = [](spec::DataType type) {
        return report::Roofs{{"made up"}, type == spec::DataType::fp32 ? 0.1 : 0.2, 20};
      };
    }
    advice::AdviceSearch work(request);
    while (work.running()) work.step(dry_runner(), {});
    const RecipeSearch& search = work.advice().search;
    ASSERT_FALSE(search.recipes().empty()) << one.name;
    std::optional<std::size_t> best;
    for (std::size_t i = 0; i < search.recipes().size(); ++i) {
      base::StringTable strings;
      const auto dry = dry_runner().dry_run(search.recipes()[i].spec,
                                            predict::dry_run_options(one.target), strings, {});
      if (!dry) {
        EXPECT_EQ(search.known(i).state, RecipeSearch::State::refused) << dry.error().sentence;
        continue;
      }
      const predict::Prediction prediction = predict::predict(
          *dry, strings, one.target, predict::allocator_settings_of(one.spec), nullptr);
      const RecipeSearch::Known& known = search.known(i);
      if (prediction.fit == predict::Fit::fits && !best) best = i;
      if (known.state == RecipeSearch::State::asked) {
        EXPECT_EQ(known.answer.needed, prediction.needed) << one.name << i;
      }
      if (known.state == RecipeSearch::State::too_large) {
        EXPECT_EQ(prediction.fit, predict::Fit::oom) << one.name << i;
        EXPECT_LE(known.answer.needed, prediction.needed) << one.name << i;
      }
      EXPECT_GE(prediction.peak_allocated, advice::state_bytes(search.recipes()[i].spec))
          << one.name << i;
    }
    EXPECT_EQ(search.best(), best) << one.name;
    EXPECT_TRUE(search.decided());
    EXPECT_LT(search.dry_runs() * 3, search.recipes().size()) << one.name;
    std::printf("%-12s %zu combinations, %zu dry runs, %s\n", one.name, search.recipes().size(),
                search.dry_runs(), search.best() ? "fits" : "none fits");
  }
}

}  // namespace
}  // namespace ts::kernels
