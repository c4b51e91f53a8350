#pragma once

#include <memory>
#include <utility>

#include "core/advice/advice.h"
#include "core/advice/ladder.h"
#include "core/base/job_thread.h"
#include "core/base/latest.h"

namespace ts::advice {

// Makes advice, or the ladder, on a thread of its own; the newest request replaces the one in
// progress. Public members may be called from any thread and return at once.
class Advisor {
 public:
  // The loader is called on the thread, before the first request. LibTorch must have been loaded
  // before.
  explicit Advisor(predict::DryRunnerLoader loader);

  void ask(AdviceRequest request) { thread_.submit({std::move(request), false}); }
  void ask_ladder(AdviceRequest request) { thread_.submit({std::move(request), true}); }
  // The results so far stay.
  void cancel() { thread_.cancel(); }
  [[nodiscard]] bool busy() const { return thread_.busy(); }
  // The newest state of the newest request of its kind, null before the first.
  [[nodiscard]] std::shared_ptr<const Advice> latest() const { return advice_.get(); }
  [[nodiscard]] std::shared_ptr<const Ladder> latest_ladder() const { return ladder_.get(); }

 private:
  struct Job {
    AdviceRequest request;
    bool ladder = false;
  };
  void advise(const AdviceRequest& request, const base::CancelToken& cancel);
  void climb(const AdviceRequest& request, const base::CancelToken& cancel);
  // The reason why there is no runner; else empty.
  base::Message load_runner();

  predict::DryRunnerLoader loader_;
  std::unique_ptr<predict::DryRunner> runner_;  // of the thread
  base::Latest<Advice> advice_;
  base::Latest<Ladder> ladder_;
  base::JobThread<Job> thread_;  // last: it uses all above
};

}  // namespace ts::advice
