#include "core/advice/recipe_search.h"

#include <algorithm>
#include <map>
#include <numeric>
#include <tuple>
#include <utility>

#include "core/spec/workload_math.h"

namespace ts::advice {
namespace {

// The second micro-batch has the gradients of the first beside it, as all later ones do.
constexpr std::int64_t kSampledMicroBatches = 2;

// More than the counters of steps, which only the fused AdamW keeps in the memory of the device.
constexpr std::int64_t kCounters = 1 << 20;

bool too_large(const predict::ProbeAnswer& answer) {
  return answer.fit == predict::Fit::oom && answer.filling && answer.filling->live > 1;
}

}  // namespace

RecipeSearch::RecipeSearch(std::vector<Recipe> recipes, std::int64_t capacity, std::int64_t context)
    : shared_(std::make_shared<const std::vector<Recipe>>(std::move(recipes))),
      known_(shared_->size()),
      sampled_(shared_->size()),
      chain_of_(shared_->size()),
      place_of_(shared_->size()),
      capacity_(capacity) {
  all_.recipes.resize(shared_->size());
  std::iota(all_.recipes.begin(), all_.recipes.end(), std::size_t{0});
  std::map<std::tuple<std::size_t, std::size_t, std::size_t, std::size_t, bool>, std::size_t> ids;
  std::map<std::pair<std::size_t, std::size_t>, std::size_t> kinds;
  for (std::size_t i = 0; i < shared_->size(); ++i) {
    const Recipe& one = at(i);
    const bool accumulates = spec::micro_batches(one.spec) > 1;
    const auto [found, created] = ids.try_emplace(
        {one.precision, one.backend, one.checkpoint, one.optimizer, accumulates}, chains_.size());
    if (created) {
      chains_.push_back({.precision = one.precision,
                         .backend = one.backend,
                         .checkpoint = one.checkpoint,
                         .optimizer = one.optimizer,
                         .accumulates = accumulates});
    }
    chain_of_[i] = found->second;
    chains_[found->second].recipes.push_back(i);
    const auto [kind, first] = kinds.try_emplace({one.precision, one.checkpoint}, kinds_.size());
    if (first) kinds_.emplace_back();
    kinds_[kind->second].recipes.push_back(i);
  }
  for (Chain& chain : chains_) {
    std::ranges::sort(chain.recipes, std::less<>(),
                      [this](std::size_t i) { return at(i).spec.batch; });
    chain.too_large = chain.recipes.size();
    for (std::size_t place = 0; place < chain.recipes.size(); ++place) {
      place_of_[chain.recipes[place]] = place;
    }
  }
  for (const Chain& chain : chains_) {
    const std::size_t first = chain.recipes.front();
    const std::int64_t least = state_bytes(at(first).spec);
    if (least > capacity) rule_out(first, least + context, least - capacity);
  }
}

void RecipeSearch::rule_out(std::size_t recipe, std::int64_t needed, std::int64_t over_by) {
  const Chain& from = chains_[chain_of_[recipe]];
  const std::int64_t batch = at(recipe).spec.batch;
  const auto kind = [this](const Chain& chain) { return at(chain.recipes.front()).spec.optimizer; };
  const bool fused = kind(from) == spec::OptimizerKind::adamw_fused;
  for (Chain& chain : chains_) {
    const bool same = std::tie(chain.precision, chain.backend, chain.checkpoint) ==
                      std::tie(from.precision, from.backend, from.checkpoint);
    if (!same || (from.accumulates && !chain.accumulates)) continue;
    const bool same_update = chain.optimizer == from.optimizer;
    if (!same_update && (!fused || over_by <= kCounters)) continue;
    while (chain.too_large > 0) {
      const std::size_t last = chain.recipes[chain.too_large - 1];
      if (at(last).spec.batch < batch) break;
      --chain.too_large;
      Known& known = known_[last];
      if (known.state == State::unknown) {
        known.state = State::too_large;
        known.answer.fit = predict::Fit::oom;
        known.answer.needed = same_update ? needed : needed - kCounters;
      }
    }
  }
}

std::size_t RecipeSearch::probe_for(std::size_t recipe) const {
  const Chain& chain = chains_[chain_of_[recipe]];
  const std::size_t place = place_of_[recipe];
  bool some_too_large = false;
  std::optional<std::int64_t> edge;
  for (const Chain& other : chains_) {
    if (other.precision != chain.precision || other.checkpoint != chain.checkpoint ||
        other.accumulates != chain.accumulates || other.too_large == other.recipes.size()) {
      continue;
    }
    some_too_large = true;
    // Where others of this type and these checkpoints stop fitting, this one does, most likely.
    if (other.fits < other.too_large) continue;
    edge = std::max(edge.value_or(0), at(other.recipes[other.too_large]).spec.batch);
  }
  if (!some_too_large || (edge && at(recipe).spec.batch < *edge)) return recipe;
  std::size_t probe = chain.fits;
  if (edge) {
    while (probe < place && at(chain.recipes[probe]).spec.batch < *edge) ++probe;
  } else if (probe < place) {
    probe += (place - probe) / 2;
  }
  // One that was asked, and did not fit for other reasons than its tensors, says nothing more.
  while (probe < place && known_[chain.recipes[probe]].state != State::unknown) ++probe;
  return probe < place ? chain.recipes[probe] : recipe;
}

RecipeSearch::Question RecipeSearch::question_about(std::size_t recipe) const {
  Question question{recipe, at(recipe).spec, true};
  if (!sampled_[recipe] && spec::micro_batches(question.spec) > kSampledMicroBatches) {
    question.spec.accumulate = kSampledMicroBatches;
    question.whole = false;
  }
  return question;
}

std::optional<RecipeSearch::Question> RecipeSearch::next_of(Kind& kind) {
  if (kind.decided) return std::nullopt;
  for (const std::size_t recipe : kind.recipes) {
    const Known& known = known_[recipe];
    if (known.fits()) {
      kind.best = recipe;
      break;
    }
    if (known.state == State::unknown) return question_about(probe_for(recipe));
  }
  kind.decided = true;
  return std::nullopt;
}

std::optional<RecipeSearch::Question> RecipeSearch::next(Depth depth) {
  if (auto question = next_of(all_)) return question;
  if (depth == Depth::best) return std::nullopt;
  for (Kind& kind : kinds_) {
    if (auto question = next_of(kind)) return question;
  }
  if (depth == Depth::kinds) return std::nullopt;
  for (std::size_t i = 0; i < shared_->size(); ++i) {
    if (known_[i].state == State::asked || known_[i].state == State::refused) continue;
    return Question{i, at(i).spec, true};
  }
  return std::nullopt;
}

void RecipeSearch::tell(const Question& question, const predict::ProbeAnswer& answer) {
  ++dry_runs_;
  Chain& chain = chains_[chain_of_[question.recipe]];
  if (question.whole) {
    known_[question.recipe] = {State::asked, answer, {}};
  } else {
    sampled_[question.recipe] = true;
  }
  if (too_large(answer)) {
    const double over_by = (answer.filling->live - 1) * static_cast<double>(capacity_);
    rule_out(question.recipe, answer.needed, static_cast<std::int64_t>(over_by));
  } else {
    chain.fits = std::max(chain.fits, place_of_[question.recipe] + 1);
  }
}

void RecipeSearch::refuse(const Question& question, const base::Message& why) {
  ++dry_runs_;
  const Recipe& refused = at(question.recipe);
  for (std::size_t i = 0; i < known_.size(); ++i) {
    if (at(i).precision != refused.precision || at(i).backend != refused.backend) continue;
    if (known_[i].state != State::asked) known_[i] = {State::refused, {}, why};
  }
}

std::size_t RecipeSearch::count(State state) const {
  return static_cast<std::size_t>(std::ranges::count(known_, state, &Known::state));
}

}  // namespace ts::advice
