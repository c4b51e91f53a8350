#include "core/advice/advisor.h"

#include <utility>

#include "core/base/clock.h"
#include "core/predict/dry_runner_loading.h"

namespace ts::advice {

namespace {

// What is known is drawn about as often.
constexpr std::int64_t kPublishEveryNs = 50'000'000;

}  // namespace

Advisor::Advisor(predict::DryRunnerLoader loader)
    : loader_(std::move(loader)),
      thread_({.work = [this](const AdviceRequest& request,
                              const base::CancelToken& cancel) { work(request, cancel); },
               .begin = {},
               .end = [this] { runner_.reset(); },
               .idle = {},
               .dropped = {}}) {}

void Advisor::ask(AdviceRequest request) {
  thread_.submit(std::move(request));
}

std::shared_ptr<const Advice> Advisor::latest() const {
  const std::lock_guard lock(mutex_);
  return latest_;
}

void Advisor::publish(const Advice& advice) {
  auto copy = std::make_shared<const Advice>(advice);
  const std::lock_guard lock(mutex_);
  latest_ = std::move(copy);
}

void Advisor::work(const AdviceRequest& request, const base::CancelToken& cancel) {
  AdviceWork work(request);
  publish(work.advice());
  if (runner_ == nullptr && work.running()) {
    auto loaded = predict::load_dry_runner(loader_);
    if (!loaded) {
      work.fail(loaded.error());
    } else {
      runner_ = std::move(*loaded);
    }
  }
  std::int64_t published_ns = base::now_ns();
  while (work.running()) {
    work.step(*runner_, cancel);
    const std::int64_t now_ns = base::now_ns();
    if (now_ns - published_ns < kPublishEveryNs) continue;
    published_ns = now_ns;
    publish(work.advice());
  }
  publish(work.advice());
}

}  // namespace ts::advice
