#pragma once

#include <cstdint>
#include <memory>

#include "core/base/job_thread.h"
#include "core/base/latest.h"
#include "core/cluster/cluster_hunt.h"
#include "core/predict/dry_run.h"

namespace ts::cluster {

// The state of a search.
struct ClusterHunt {
  ClusterRequest request;
  ClusterAnswer answer = {};   // the modes that are answered
  base::Message problem = {};  // why there is no answer, or no more of it; else empty
  bool running = true;
  Mode mode = Mode::data_parallel;  // asked now, on so many cards; 1 card: the whole step
  std::int64_t cards = 1;
};

// Hunts on a thread of its own; the newest request replaces the one in progress. Public members may
// be called from any thread and return at once.
class ClusterHunter {
 public:
  // The loader is called on the thread, before the first request. LibTorch must have been loaded
  // before.
  ClusterHunter(predict::DryRunnerLoader loader, predict::CudaScratch scratch);

  void ask(ClusterRequest request) { thread_.submit(std::move(request)); }
  // The results so far stay.
  void cancel() { thread_.cancel(); }
  [[nodiscard]] bool busy() const { return thread_.busy(); }
  // The newest state of the newest request, null before the first.
  [[nodiscard]] std::shared_ptr<const ClusterHunt> latest() const { return latest_.get(); }

 private:
  void hunt(const ClusterRequest& request, const base::CancelToken& cancel);

  const predict::DryRunnerLoader loader_;
  const predict::CudaScratch scratch_;
  std::unique_ptr<predict::RankRunner> runner_;  // of the thread
  base::Latest<ClusterHunt> latest_;
  base::JobThread<ClusterRequest> thread_;  // last: it uses all above
};

}  // namespace ts::cluster
