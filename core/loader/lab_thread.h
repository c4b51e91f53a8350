#pragma once

#include <atomic>
#include <cstddef>
#include <filesystem>
#include <memory>
#include <optional>
#include <vector>

#include "core/base/job_thread.h"
#include "core/base/latest.h"
#include "core/loader/lab.h"

namespace ts::loader {

// A question of the window: what to load, and where it lies.
struct LabRequest {
  simulate::Experiment question;
  std::filesystem::path data;  // empty: made
};

// Its answers, one for each number that is done.
struct LabAnswers {
  LabRequest request;
  std::vector<Answer> answers = {};
  base::Message problem = {};  // why there are no more; empty: there are, or all are there
};

// Answers questions on a thread of its own. Public members may be called from any thread and return
// at once, the destructor after the step in progress.
class LabThread {
 public:
  // `program`: tensorscope, for workers that are processes.
  explicit LabThread(std::filesystem::path program);
  // The newest request replaces the one in progress.
  void ask(LabRequest request) { thread_.submit(std::move(request)); }
  void cancel() { thread_.cancel(); }
  [[nodiscard]] bool busy() const { return thread_.busy(); }
  // Null before the first.
  [[nodiscard]] std::shared_ptr<const LabAnswers> latest() const { return latest_.get(); }

  // The number in progress: samples made, and steps done.
  struct Progress {
    std::size_t made = 0;
    std::size_t steps = 0;
  };
  [[nodiscard]] Progress progress() const { return {made_, steps_}; }

 private:
  void work(LabRequest& request, const base::CancelToken& cancel);

  const std::filesystem::path program_;
  std::optional<Lab> lab_;  // keeps the data set of the last question
  std::filesystem::path data_;
  std::atomic<std::size_t> made_ = 0;
  std::atomic<std::size_t> steps_ = 0;
  base::Latest<LabAnswers> latest_;
  base::JobThread<LabRequest> thread_;  // last: it uses all above
};

}  // namespace ts::loader
