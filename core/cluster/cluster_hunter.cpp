#include "core/cluster/cluster_hunter.h"

#include <utility>

#include "core/predict/dry_runner_loading.h"

namespace ts::cluster {

ClusterHunter::ClusterHunter(predict::DryRunnerLoader loader, predict::CudaScratch scratch)
    : loader_(std::move(loader)),
      scratch_(std::move(scratch)),
      thread_({.work = [this](const ClusterRequest& request,
                              const base::CancelToken& cancel) { hunt(request, cancel); },
               .end = [this] { runner_.reset(); }}) {}

void ClusterHunter::hunt(const ClusterRequest& request, const base::CancelToken& cancel) {
  ClusterHunt known{.request = request};
  latest_.publish(known);
  if (runner_ == nullptr) {
    auto loaded = predict::load_dry_runner(loader_);
    if (loaded) {
      runner_ = std::make_unique<predict::RankRunner>(std::move(*loaded), predict::Share{});
    } else {
      known.problem = loaded.error();
    }
  }
  if (runner_ != nullptr) {
    const auto told = [&](const ClusterAnswer& so_far, Mode mode, std::int64_t cards) {
      known.answer = so_far;
      known.mode = mode;
      known.cards = cards;
      latest_.publish(known);
    };
    auto answer = hunt_cluster(request, *runner_, scratch_, told, cancel);
    if (answer) {
      known.answer = std::move(*answer);
    } else {
      known.problem = answer.error();
    }
  }
  known.running = false;
  latest_.publish(std::move(known));
}

}  // namespace ts::cluster
