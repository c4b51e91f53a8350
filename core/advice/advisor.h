#pragma once

#include <cstdint>
#include <memory>
#include <mutex>

#include "core/advice/advice.h"
#include "core/base/job_thread.h"

namespace ts::advice {

// Makes advice on a thread of its own; the newest request replaces the one in progress. Public
// members may be called from any thread and return at once.
class Advisor {
 public:
  // The loader is called on the thread, before the first request. LibTorch must have been loaded
  // before.
  explicit Advisor(predict::DryRunnerLoader loader);

  void ask(AdviceRequest request);
  // What is known stays.
  void cancel() { thread_.cancel(); }
  [[nodiscard]] bool busy() const { return thread_.busy(); }
  // The newest state of the newest request, null before the first.
  [[nodiscard]] std::shared_ptr<const Advice> latest() const;

 private:
  void work(const AdviceRequest& request, const base::CancelToken& cancel);
  void publish(const Advice& advice);

  predict::DryRunnerLoader loader_;
  std::unique_ptr<predict::DryRunner> runner_;  // of the thread
  mutable std::mutex mutex_;
  std::shared_ptr<const Advice> latest_;   // guarded by mutex_
  base::JobThread<AdviceRequest> thread_;  // last: it uses all above
};

}  // namespace ts::advice
