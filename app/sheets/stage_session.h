#pragma once

#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "core/base/job_thread.h"
#include "core/base/latest.h"
#include "core/kernel_plan/stage_bench.h"

namespace ts::app {

// Measures the stages of our attention on this processor for the window, by `bench stages` in a
// process of its own. Members but the thread's own belong to one owner thread; the destructor ends
// the process.
class StageSession {
 public:
  struct Request {
    std::filesystem::path program;      // tensorscope
    std::vector<std::string> settings;  // KEY=VALUE, of --set
  };
  void measure(Request request);
  void cancel();
  [[nodiscard]] bool busy() const { return thread_ != nullptr && thread_->busy(); }
  // The newest measurement, also while it goes on. Null before the first.
  [[nodiscard]] std::shared_ptr<const kernel_plan::StageBench> latest() const {
    return latest_.get();
  }

 private:
  void work(const Request& request, const base::CancelToken& cancel);

  base::Latest<kernel_plan::StageBench> latest_;
  std::unique_ptr<base::JobThread<Request>> thread_;  // made at the first measurement
};

}  // namespace ts::app
