#pragma once

#include <ATen/core/Tensor.h>

#include <memory>
#include <vector>

#include "core/spec/workload_spec.h"
#include "kernels/optim/wide_update.h"

namespace ts::kernels {

// Updates parameters from their gradients. Parameters without a gradient are left alone. Moments
// are made in the first step, master weights at once. Worker thread.
class Optimizer {
 public:
  virtual ~Optimizer() = default;
  // `found_inf`, if defined, is a one-element tensor on the device, not 0 if the step must not
  // change anything; only for optimizers with skips_itself().
  virtual void step(double learning_rate, const at::Tensor& found_inf) = 0;
  [[nodiscard]] virtual bool skips_itself() const { return false; }
  // True if every step makes the moments anew.
  [[nodiscard]] virtual bool replaces_state() const { return false; }
  // The tensors of the state: moments, none before the first step, and master weights.
  [[nodiscard]] virtual std::vector<at::Tensor> state() const = 0;
};

struct OptimizerSettings {
  double beta1 = 0.9;
  double beta2 = 0.999;
  double epsilon = 1e-8;
  double weight_decay = 0.1;
  double momentum = 0;
  bool capturable = false;  // steps are counted on the device, so that a replayed one counts, too
  spec::OptimizerState state = spec::OptimizerState::parameter;
};

// AdamW with decoupled weight decay (Loshchilov and Hutter 2019):
//   p -= lr wd p;  m = b1 m + (1 - b1) g;  v = b2 v + (1 - b2) g^2
//   p -= lr / (1 - b1^t) m / (sqrt(v) / sqrt(1 - b2^t) + eps)
// the same numbers in three ways, whose kernels and temporaries differ:
//   adamw_fused    one operator for many parameters, no temporary: torch's AdamW(fused=True). One
//                  step counter (fp32, on the device) is shared by all parameters.
//   adamw_foreach  one operator for each line of the formula over all parameters, with temporaries
//                  as large as all of v: AdamW(foreach=True)
//   adamw_loop     the formula, parameter by parameter: AdamW(foreach=False)
//   adamw_out_of_place  the algorithm of CS336's first assignment, every line of which makes new
//                  tensors; eps is not divided by the correction, and the decay comes last:
//     m = b1 m + (1 - b1) g;  v = b2 v + (1 - b2) g^2
//     p -= lr sqrt(1 - b2^t) / (1 - b1^t) m / (sqrt(v) + eps);  p -= lr wd p
//   adamw_8bit     moments are codes of 8 bits with a scale (fp32) for 256 numbers (Dettmers et al.
//                  2022); a block is decoded, updated in fp32 and encoded anew, without
//                  temporaries. Tensors of less than 4,096 numbers have moments in fp32. What is
//                  made, and in which order, is that of bitsandbytes' AdamW8bit. Runs on the CPU;
//                  its kernels for a GPU are bitsandbytes' own, so there it is predicted only.
// sgd: g += wd p; with momentum b = momentum b + g (b = g at first), g = b; p -= lr g, parameter by
// parameter, as torch's SGD(foreach=False).
// Where the state is fp32 and parameters have 16 bits, the formula is computed in fp32 on copies of
// parameter and gradient that live for the update of that part (wide_update.h).
std::unique_ptr<Optimizer> make_optimizer(spec::OptimizerKind kind,
                                          std::vector<TrainedTensor> trained,
                                          const OptimizerSettings& settings);

std::unique_ptr<Optimizer> make_adamw_fused(std::vector<TrainedTensor> trained,
                                            const OptimizerSettings& settings);
std::unique_ptr<Optimizer> make_adamw_written_out(std::vector<TrainedTensor> trained,
                                                  const OptimizerSettings& settings, bool foreach);
std::unique_ptr<Optimizer> make_adamw_out_of_place(std::vector<TrainedTensor> trained,
                                                   const OptimizerSettings& settings);
// Throws BadInput for parameters on a GPU.
std::unique_ptr<Optimizer> make_adamw_8bit(std::vector<TrainedTensor> trained,
                                           const OptimizerSettings& settings);
std::unique_ptr<Optimizer> make_sgd(std::vector<TrainedTensor> trained,
                                    const OptimizerSettings& settings);

}  // namespace ts::kernels
