#include "kernels/optim/optimizer.h"

namespace ts::kernels {

std::unique_ptr<Optimizer> make_optimizer(spec::OptimizerKind kind,
                                          std::vector<TrainedTensor> trained,
                                          const OptimizerSettings& settings) {
  switch (kind) {
    case spec::OptimizerKind::adamw_fused:
      return make_adamw_fused(std::move(trained), settings);
    case spec::OptimizerKind::adamw_foreach:
      return make_adamw_written_out(std::move(trained), settings, /*foreach=*/true);
    case spec::OptimizerKind::adamw_loop:
      return make_adamw_written_out(std::move(trained), settings, /*foreach=*/false);
    case spec::OptimizerKind::adamw_out_of_place:
      return make_adamw_out_of_place(std::move(trained), settings);
    case spec::OptimizerKind::adamw_8bit:
      return make_adamw_8bit(std::move(trained), settings);
    case spec::OptimizerKind::sgd:
      break;
  }
  return make_sgd(std::move(trained), settings);
}

}  // namespace ts::kernels
