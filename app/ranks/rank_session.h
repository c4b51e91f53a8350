#pragma once

#include <cstdint>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <vector>

#include "app/ranks/rank_launcher.h"
#include "core/base/job_thread.h"
#include "core/base/latest.h"
#include "core/base/message.h"
#include "core/predict/data_parallel.h"
#include "core/spec/gpu_catalogue.h"

namespace ts::app {

// A run by ranks for the window: what was asked, and what is known of it.
struct RankAnswer {
  RankRun run;  // its folder is made when it starts
  double seconds = 0;
  std::optional<RankProgress> progress;
  std::vector<std::int64_t> predicted;  // bytes of the peak, by rank; empty: not predicted
  base::Message not_predicted;          // why there is none; else empty
  nlohmann::json document;              // ranks.json; null: the ranks run, or cannot be started
  base::Message problem;                // why they ended early, or were not started; else empty
};

// Predicts a rank and runs all of them, on a thread of its own, by the launcher of `run --world`.
// Members but the thread's own belong to one owner thread; the destructor ends the ranks.
class RankSession {
 public:
  RankSession(predict::DryRunnerLoader dry_runner, const spec::GpuCatalogue& gpus);
  // The results go into a new folder of `run.folder`.
  void start(RankRun run) { thread_.submit(std::move(run)); }
  void cancel() { thread_.cancel(); }
  [[nodiscard]] bool busy() const { return thread_.busy(); }
  // Null before the first.
  [[nodiscard]] std::shared_ptr<const RankAnswer> latest() const { return latest_.get(); }

 private:
  void work(const RankRun& run, const base::CancelToken& cancel);
  void predict(RankAnswer& answer, const base::CancelToken& cancel);
  base::Result<void> run(RankAnswer& answer, const base::CancelToken& cancel);

  predict::DryRunnerLoader loader_;
  const spec::GpuCatalogue& gpus_;
  std::unique_ptr<predict::RankRunner> runner_;  // made at the first prediction
  base::Latest<RankAnswer> latest_;
  base::JobThread<RankRun> thread_;  // last: it uses all above
};

}  // namespace ts::app
