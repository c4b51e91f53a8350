// The search against asking every recipe, with answers that are made up.
#include "core/advice/recipe_search.h"

#include <gtest/gtest.h>

#include <random>

#include "core/spec/presets.h"
#include "core/spec/spec_fields.h"
#include "core/spec/workload_math.h"

namespace ts::advice {
namespace {

report::Roofs card_roofs(spec::DataType type) {
  const bool narrow = type == spec::DataType::bf16 || type == spec::DataType::fp16;
  return {{"a card"}, narrow ? 300.0 : type == spec::DataType::tf32 ? 150.0 : 20.0, 2000};
}

spec::WorkloadSpec language_model(std::int64_t batch) {
  spec::WorkloadSpec spec;
  spec::apply_preset(*spec::find_preset(spec::WorkloadKind::lm, "small"), spec);
  spec.batch = batch;
  return spec;
}

std::vector<Recipe> recipes(const spec::WorkloadSpec& spec, const RecipeSpace& space = {}) {
  return recipes_of(spec, spec::DeviceKind::cuda, space, card_roofs);
}

TEST(Recipes, KeepTheSequencesOfAStepAndTheModel) {
  const spec::WorkloadSpec base = language_model(48);
  const std::vector<Recipe> all = recipes(base);
  // Five types; flash and cuDNN in the three of 16 bits alone, three other backends; three sorts of
  // checkpoints, three of AdamW, ten divisors of 48.
  EXPECT_EQ(all.size(), (5U * 3 + 3 * 2) * 3 * 3 * 10);
  for (const Recipe& recipe : all) {
    EXPECT_TRUE(spec::validate(recipe.spec).empty());
    EXPECT_EQ(recipe.spec.batch * recipe.spec.accumulate, 48);
    EXPECT_EQ(spec::parameter_count(recipe.spec), spec::parameter_count(base));
    EXPECT_NEAR(recipe.tokens_per_s * recipe.bound.seconds, 48 * 512, 1e-6);
  }
  for (std::size_t i = 1; i < all.size(); ++i) {
    EXPECT_LE(all[i].tokens_per_s, all[i - 1].tokens_per_s * (1 + 1e-8));
  }
  EXPECT_EQ(all.front().spec.dtype, spec::DataType::bf16);
  EXPECT_EQ(all.front().spec.backend, spec::AttentionBackend::flash);
  EXPECT_EQ(all.front().spec.batch, 48);
}

TEST(Recipes, LeaveOutWhatIsKeptAndWhatACardLacks) {
  spec::WorkloadSpec base = language_model(4);
  base.optimizer = spec::OptimizerKind::sgd;
  base.dtype = spec::DataType::bf16;
  const auto kept = recipes(
      base, {{spec::Field::autocast, spec::Field::backend, spec::Field::checkpoint, spec::Field::B},
             false});
  ASSERT_EQ(kept.size(), 1U);
  base.device = spec::DeviceKind::cuda;
  EXPECT_EQ(kept.front().spec, base);
  for (const Recipe& recipe : recipes(base)) {
    EXPECT_EQ(recipe.spec.optimizer, spec::OptimizerKind::sgd);
  }
  const auto without_bf16 = recipes_of(base, spec::DeviceKind::cuda, {}, [](spec::DataType type) {
    return type == spec::DataType::bf16 ? report::Roofs{} : card_roofs(type);
  });
  ASSERT_FALSE(without_bf16.empty());
  for (const Recipe& recipe : without_bf16) {
    EXPECT_NE(spec::compute_type(recipe.spec), spec::DataType::bf16);
  }
  const auto free = recipes(base, {{spec::Field::dtype}, true});
  EXPECT_TRUE(std::ranges::any_of(free, [](const Recipe& one) { return one.spec.batch == 1; }));
  EXPECT_TRUE(std::ranges::any_of(free, [](const Recipe& one) { return one.spec.batch > 100; }));
  for (const Recipe& recipe : free) EXPECT_EQ(recipe.spec.accumulate, 1);
}

// Tensors that grow as those of a step do, by weights drawn at random, and an allocator with gaps:
// it may refuse a size whose tensors fit, and hold a larger one.
class MadeUp {
 public:
  explicit MadeUp(std::uint64_t seed) : random_(seed) {
    for (double& one : weight_) one = std::uniform_real_distribution<>(0.2, 3)(random_);
    capacity_ = std::exp(std::uniform_real_distribution<>(20.5, 26)(random_));
    gaps_ = std::uniform_real_distribution<>(0, 0.3)(random_);
  }
  [[nodiscard]] std::int64_t capacity() const { return static_cast<std::int64_t>(capacity_); }

  predict::ProbeAnswer operator()(const spec::WorkloadSpec& spec) const {
    const auto number = [](auto value) { return static_cast<std::size_t>(value); };
    const double state = static_cast<double>(state_bytes(spec));
    const double sequence = 5e7 * weight_[number(spec.backend)] *
                            weight_[8 + number(spec.checkpoint)] *
                            weight_[11 + number(spec.dtype) + 4 * number(spec.autocast)];
    const bool fused = spec.optimizer == spec::OptimizerKind::adamw_fused;
    const double update = fused ? 0 : state * 0.1 * weight_[number(spec.optimizer)];
    const double gradients = spec.accumulate > 1 ? state / 4 : 0;
    const double live =
        std::max(state - state / 4 + gradients + sequence * static_cast<double>(spec.batch),
                 state + update) +
        1000.0 * static_cast<double>(spec.accumulate);
    // Depends on every setting, and is no order of them.
    const auto hash = std::hash<std::string>()(spec::to_json(spec).dump());
    const double held = live * (1 + gaps_ * static_cast<double>(hash % 1000) / 1000);
    predict::ProbeAnswer answer;
    answer.needed = static_cast<std::int64_t>(held);
    answer.filling = {live / capacity_, held / capacity_};
    answer.fit = held <= capacity_ ? predict::Fit::fits : predict::Fit::oom;
    if (answer.fit == predict::Fit::oom && live <= capacity_ && hash % 2 == 0) {
      answer.fit = predict::Fit::fits_after_flush;
    }
    return answer;
  }

 private:
  std::mt19937_64 random_;
  double weight_[32] = {};
  double capacity_ = 0;
  double gaps_ = 0;
};

std::optional<std::size_t> first_that_fits(const std::vector<Recipe>& all,
                                           const std::vector<std::size_t>& among,
                                           const MadeUp& card) {
  for (const std::size_t i : among) {
    if (card(all[i].spec).fit == predict::Fit::fits) return i;
  }
  return std::nullopt;
}

#ifdef __SANITIZE_ADDRESS__
constexpr std::uint64_t kCards = 15;
#else
constexpr std::uint64_t kCards = 60;
#endif

TEST(RecipeSearch, FindsWhatAskingEveryRecipeFinds) {
  std::size_t found = 0, dry_runs = 0, combinations = 0;
  for (std::uint64_t seed = 0; seed < kCards; ++seed) {
    const MadeUp card(seed);
    const std::vector<Recipe> all =
        recipes(language_model(seed % 3 == 0 ? 48 : 64), {{}, seed % 5 == 0});
    RecipeSearch search(all, card.capacity(), 0);
    while (const auto question = search.next(RecipeSearch::Depth::best)) {
      search.tell(*question, card(question->spec));
    }
    dry_runs += search.dry_runs();
    combinations += all.size();
    while (const auto question = search.next(RecipeSearch::Depth::kinds)) {
      search.tell(*question, card(question->spec));
    }
    std::vector<std::size_t> every(all.size());
    for (std::size_t i = 0; i < every.size(); ++i) every[i] = i;
    ASSERT_EQ(search.best(), first_that_fits(all, every, card)) << seed;
    for (const RecipeSearch::Kind& kind : search.kinds()) {
      EXPECT_TRUE(kind.decided);
      EXPECT_EQ(kind.best, first_that_fits(all, kind.recipes, card)) << seed;
    }
    for (std::size_t i = 0; i < all.size(); ++i) {
      if (search.known(i).state != RecipeSearch::State::too_large) continue;
      const predict::ProbeAnswer answer = card(all[i].spec);
      EXPECT_EQ(answer.fit, predict::Fit::oom);
      EXPECT_GT(answer.filling->live, 1);
    }
    if (search.best()) ++found;
  }
  EXPECT_GT(found, kCards / 3);
  EXPECT_LT(found, kCards);
  EXPECT_LT(dry_runs * 20, combinations) << dry_runs << " of " << combinations;
}

TEST(RecipeSearch, DryRunsEveryRecipeWhenAsked) {
  const MadeUp card(4);
  RecipeSearch search(recipes(language_model(4)), card.capacity(), 0);
  while (const auto question = search.next(RecipeSearch::Depth::every_recipe)) {
    search.tell(*question, card(question->spec));
  }
  EXPECT_EQ(search.count(RecipeSearch::State::asked), search.recipes().size());
}

}  // namespace
}  // namespace ts::advice
