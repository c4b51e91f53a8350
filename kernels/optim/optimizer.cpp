#include "kernels/optim/optimizer.h"

namespace ts::kernels {

std::unique_ptr<Optimizer> make_optimizer(run::OptimizerKind kind,
                                          std::vector<at::Tensor> parameters,
                                          const OptimizerSettings& settings) {
  switch (kind) {
    case run::OptimizerKind::adamw_fused:
      return make_adamw_fused(std::move(parameters), settings);
    case run::OptimizerKind::adamw_foreach:
      return make_adamw_written_out(std::move(parameters), settings, /*foreach=*/true);
    case run::OptimizerKind::adamw_loop:
      return make_adamw_written_out(std::move(parameters), settings, /*foreach=*/false);
    case run::OptimizerKind::sgd:
      break;
  }
  return make_sgd(std::move(parameters), settings);
}

}  // namespace ts::kernels
