#pragma once

#include <functional>
#include <map>
#include <memory>
#include <optional>

#include "core/advice/recipe_search.h"
#include "core/base/cancel.h"
#include "core/base/message.h"
#include "core/predict/cuda_scratch.h"
#include "core/predict/dry_run.h"

namespace ts::advice {

struct AdviceRequest {
  spec::WorkloadSpec settings;
  predict::PredictionTarget target;
  RecipeSpace space;
  RecipeSearch::Depth depth = RecipeSearch::Depth::kinds;
  bool large_model = false;  // for the lab's rule
  // Roofs of the target's device. Empty: those of its card.
  RoofsOf roofs;
  std::shared_ptr<const predict::CudaScratch> scratch;  // null: no band
};

// One specification on the target, dry-run as it is.
struct Asked {
  spec::WorkloadSpec spec;
  base::Message problem;  // why it has no answer; else empty
  bool done = false;
  predict::ProbeAnswer answer;
  std::optional<StepBound> bound;  // by the attention kernel that the dry run names
};

// The state of a search.
struct Advice {
  AdviceRequest request;
  RecipeSearch search;
  Asked as_set = {};    // the settings themselves
  Asked lab_rule = {};  // what the lab's rule recommends
  // Median step in seconds of recipes that ran on this machine.
  std::map<std::size_t, double> measured_s = {};
  // Why there are no recipes; else empty.
  base::Message problem = {};
  bool running = true;
  bool cancelled = false;
  double seconds = 0;                        // spent so far
  std::optional<double> decided_after = {};  // part of it until the best recipe was known
};

// Looks for recipes, dry run by dry run. One thread.
class AdviceSearch {
 public:
  explicit AdviceSearch(AdviceRequest request);
  [[nodiscard]] bool running() const { return advice_.running; }
  [[nodiscard]] const Advice& advice() const { return advice_; }
  void cancel();
  // Ends it with a problem.
  void fail(const base::Message& why);
  void measured(std::size_t recipe, double seconds) { advice_.measured_s[recipe] = seconds; }
  // One more dry run. A cancelled one ends the work.
  void step(predict::DryRunner& runner, const base::CancelToken& cancel);

 private:
  void next(predict::DryRunner& runner, const base::CancelToken& cancel);

  Advice advice_;
};

// All of it on this thread; `progress` is called after every dry run.
Advice advise(AdviceRequest request, predict::DryRunner& runner,
              const std::function<void(const Advice&)>& progress, const base::CancelToken& cancel);

// Dry-runs asked.spec for the request's target, and writes what comes out.
void dry_run_of(const AdviceRequest& request, predict::DryRunner& runner,
                const base::CancelToken& cancel, Asked& asked);

// The roofs of the card for each type.
RoofsOf roofs_of_target(const predict::PredictionTarget& target);

}  // namespace ts::advice
