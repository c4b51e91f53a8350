#include "core/advice/advice.h"

#include <utility>

#include "core/advice/lab_rule.h"
#include "core/base/clock.h"
#include "core/spec/own_model.h"
#include "core/spec/workload_math.h"
#include "core/text/message.h"

namespace ts::advice {
namespace {

AdviceRequest completed(AdviceRequest request) {
  request.settings.device = request.target.kind;
  if (!request.roofs) request.roofs = roofs_of_target(request.target);
  return request;
}

RecipeSearch search_of(const AdviceRequest& request) {
  return {recipes_of(request.settings, request.target.kind, request.space, request.roofs),
          request.target.capacity(), request.target.context};
}

}  // namespace

RoofsOf roofs_of_target(const predict::PredictionTarget& target) {
  return [card = target.card](spec::DataType type) {
    return card ? report::roofs_of_card(*card, type) : report::Roofs{};
  };
}

AdviceSearch::AdviceSearch(AdviceRequest request)
    : advice_{.request = completed(std::move(request)), .search = {{}, 0, 0}} {
  const AdviceRequest& asked = advice_.request;
  advice_.search = search_of(asked);
  advice_.as_set.spec = asked.settings;
  advice_.lab_rule.spec = with_lab_rule(asked.settings, asked.target, asked.large_model);
  if (!advice_.search.recipes().empty()) return;
  advice_.running = false;
  if (spec::comes_from_file(asked.settings) && spec::tokens_per_step(asked.settings) == 0) {
    advice_.problem = text::message("advice.problem.batch");
  } else if (!asked.roofs(spec::compute_type(asked.settings)).known()) {
    advice_.problem = text::message("advice.problem.no_roof");
  } else {
    const auto problems = spec::validate(asked.settings);
    const char* const no_formula =
        spec::comes_from_file(asked.settings) ? "advice.problem.file" : "advice.problem.no_formula";
    advice_.problem =
        problems.empty() ? text::message(no_formula) : base::Message(problems.front());
  }
}

void AdviceSearch::cancel() {
  if (!advice_.running) return;
  advice_.running = false;
  advice_.cancelled = true;
}

void AdviceSearch::fail(const base::Message& why) {
  advice_.running = false;
  advice_.problem = why;
}

void dry_run_of(const AdviceRequest& request, predict::DryRunner& runner,
                const base::CancelToken& cancel, Asked& asked) {
  if (const auto problems = spec::validate(asked.spec); !problems.empty()) {
    asked.problem = problems.front();
    asked.done = true;
    return;
  }
  base::StringTable strings;
  const auto dry =
      runner.dry_run(asked.spec, predict::dry_run_options(request.target), strings, cancel);
  if (!dry) {
    asked.problem = dry.error();
    asked.done = !cancel.cancelled();
    return;
  }
  asked.answer = predict::answer_of(
      predict::predict(*dry, strings, request.target, predict::allocator_settings_of(asked.spec),
                       request.scratch.get()),
      request.target);
  asked.bound = step_bound(asked.spec, spec::backend_for_formulas(dry->backend),
                           request.roofs(spec::compute_type(asked.spec)));
  asked.done = true;
}

void AdviceSearch::next(predict::DryRunner& runner, const base::CancelToken& cancel) {
  const AdviceRequest& request = advice_.request;
  if (!advice_.as_set.done) return dry_run_of(request, runner, cancel, advice_.as_set);
  if (!advice_.lab_rule.done) return dry_run_of(request, runner, cancel, advice_.lab_rule);
  const auto question = advice_.search.next(request.depth);
  if (!question) {
    advice_.running = false;
    return;
  }
  Asked probe;
  probe.spec = question->spec;
  dry_run_of(request, runner, cancel, probe);
  if (!probe.done) return;
  if (!probe.problem.empty()) return advice_.search.refuse(*question, probe.problem);
  advice_.search.tell(*question, probe.answer);
}

void AdviceSearch::step(predict::DryRunner& runner, const base::CancelToken& cancel) {
  if (!advice_.running) return;
  const std::int64_t begin_ns = base::now_ns();
  next(runner, cancel);
  if (cancel.cancelled()) this->cancel();
  advice_.seconds += static_cast<double>(base::now_ns() - begin_ns) * 1e-9;
  if (advice_.search.decided() && !advice_.decided_after) advice_.decided_after = advice_.seconds;
}

Advice advise(AdviceRequest request, predict::DryRunner& runner,
              const std::function<void(const Advice&)>& progress, const base::CancelToken& cancel) {
  AdviceSearch work(std::move(request));
  while (work.running()) {
    work.step(runner, cancel);
    if (progress) progress(work.advice());
  }
  return work.advice();
}

}  // namespace ts::advice
