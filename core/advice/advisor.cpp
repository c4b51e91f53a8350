#include "core/advice/advisor.h"

#include "core/base/clock.h"
#include "core/predict/dry_runner_loading.h"

namespace ts::advice {

namespace {

// The window draws new results about as often.
constexpr std::int64_t kPublishEveryNs = 50'000'000;

}  // namespace

Advisor::Advisor(predict::DryRunnerLoader loader)
    : loader_(std::move(loader)),
      thread_({.work =
                   [this](const Job& job, const base::CancelToken& cancel) {
                     job.ladder ? climb(job.request, cancel) : advise(job.request, cancel);
                   },
               .end = [this] { runner_.reset(); }}) {}

base::Message Advisor::load_runner() {
  if (runner_ != nullptr) return {};
  auto loaded = predict::load_dry_runner(loader_);
  if (!loaded) return loaded.error();
  runner_ = std::move(*loaded);
  return {};
}

void Advisor::climb(const AdviceRequest& request, const base::CancelToken& cancel) {
  Ladder known{.request = request};
  ladder_.publish(known);
  known.problem = load_runner();
  if (known.problem.empty()) known.rungs = ladder(request, *runner_, cancel);
  // Without the rungs above, a part would pass for the whole.
  if (cancel.cancelled()) known.rungs.clear();
  known.running = false;
  ladder_.publish(known);
}

void Advisor::advise(const AdviceRequest& request, const base::CancelToken& cancel) {
  AdviceSearch work(request);
  advice_.publish(work.advice());
  const base::Message problem = work.running() ? load_runner() : base::Message();
  if (!problem.empty()) work.fail(problem);
  std::int64_t published_ns = base::now_ns();
  while (work.running()) {
    work.step(*runner_, cancel);
    const std::int64_t now_ns = base::now_ns();
    if (now_ns - published_ns < kPublishEveryNs) continue;
    published_ns = now_ns;
    advice_.publish(work.advice());
  }
  advice_.publish(work.advice());
}

}  // namespace ts::advice
