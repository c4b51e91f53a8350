#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "core/advice/recipes.h"
#include "core/predict/hunt.h"

namespace ts::advice {

// Finds the first recipe that fits, and the first of each kind, with as few dry runs as possible.
// It has no thread and makes no dry run: next() says which one to make, tell() takes its answer.
//
// What is concluded without a dry run of its own holds by the order of what a step allocates, not
// by a guess. Where the tensors alone are larger than the memory, so are
//   - those of the same recipe with larger B: no block gets smaller,
//   - those with more micro-batches of that size: they contain the same events,
//   - those of AdamW in lists or operator by operator, which makes temporaries beside the tensors
//     of the fused one, which has a counter more,
// and no recipe fits whose parameters, gradients and optimizer state do not. A recipe whose tensors
// fit is concluded about in neither direction, because allocators leave gaps: every recipe that is
// said to fit was dry-run as it is.
class RecipeSearch {
 public:
  enum class State : std::uint8_t {
    unknown,
    asked,      // dry-run
    too_large,  // concluded: tensors alone exceed the memory
    refused,    // the target has no kernel for it
  };
  struct Known {
    State state = State::unknown;
    predict::ProbeAnswer
        answer;             // of an asked one; of too_large: only `needed`, at least that much
    base::Message refusal;  // why the target cannot run it
    [[nodiscard]] bool fits() const {
      return state == State::asked && answer.fit == predict::Fit::fits;
    }
  };
  // A dry run to make. `recipe` with fewer micro-batches, where those of all would take long: that
  // is enough to see that it does not fit.
  struct Question {
    std::size_t recipe = 0;
    spec::WorkloadSpec spec;
    bool whole = true;
  };
  // Recipes of one type and one sort of checkpoints.
  struct Kind {
    std::vector<std::size_t> recipes;  // in order
    std::optional<std::size_t> best;   // the first that fits
    bool decided = false;              // true without `best`: none fits
  };

  // `recipes` in order of preference. `capacity`: bytes that the allocator can hold; `context`:
  // what is needed beside it. Copies share the recipes.
  RecipeSearch(std::vector<Recipe> recipes, std::int64_t capacity, std::int64_t context);

  // How much is to be known.
  enum class Depth : std::uint8_t { best, kinds, every_recipe };
  // Nothing when that is known.
  [[nodiscard]] std::optional<Question> next(Depth depth);
  void tell(const Question& question, const predict::ProbeAnswer& answer);
  // The target cannot run it: neither what has the same types and the same attention, which decide
  // about kernels.
  void refuse(const Question& question, const base::Message& why);

  [[nodiscard]] std::span<const Recipe> recipes() const { return *shared_; }
  [[nodiscard]] const Known& known(std::size_t recipe) const { return known_[recipe]; }
  // The first that fits without flushing the allocator's cache; unset while it is not decided, and
  // if there is none.
  [[nodiscard]] std::optional<std::size_t> best() const { return all_.best; }
  [[nodiscard]] bool decided() const { return all_.decided; }
  [[nodiscard]] std::span<const Kind> kinds() const { return kinds_; }
  [[nodiscard]] std::size_t count(State state) const;
  [[nodiscard]] std::size_t dry_runs() const { return dry_runs_; }

 private:
  // Recipes that are equal but for B, ascending.
  struct Chain {
    std::size_t precision = 0, backend = 0, checkpoint = 0, optimizer = 0;
    bool accumulates = false;
    std::vector<std::size_t> recipes = {};
    // The recipe at this place, and all above it, is too large; the number of recipes if none is.
    std::size_t too_large = 0;
    // Those below this place have tensors that fit.
    std::size_t fits = 0;
  };
  std::optional<Question> next_of(Kind& kind);
  // A recipe of the same chain, not larger, whose answer helps to decide this one.
  [[nodiscard]] std::size_t probe_for(std::size_t recipe) const;
  [[nodiscard]] Question question_about(std::size_t recipe) const;
  // `over_by`: bytes by which its tensors exceed the memory.
  void rule_out(std::size_t recipe, std::int64_t needed, std::int64_t over_by);

  std::shared_ptr<const std::vector<Recipe>> shared_;
  std::vector<Known> known_;
  std::vector<bool> sampled_;  // asked with fewer micro-batches; its tensors fit
  std::vector<Chain> chains_;
  std::vector<std::size_t> chain_of_, place_of_;
  Kind all_;
  std::vector<Kind> kinds_;
  std::size_t dry_runs_ = 0;
  std::int64_t capacity_ = 0;

  [[nodiscard]] const Recipe& at(std::size_t recipe) const { return (*shared_)[recipe]; }
};

}  // namespace ts::advice
