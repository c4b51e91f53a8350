#pragma once

#include <ATen/core/Tensor.h>

#include <memory>
#include <string>
#include <vector>

#include "core/run/engine.h"
#include "core/spec/workload_spec.h"
#include "kernels/layers/builder.h"

namespace ts::kernels {

// A computation that runs in steps: made once from a spec, its tensors registered with the builder
// that it was made with. The same code runs on every device.
class Workload {
 public:
  virtual ~Workload() = default;
  // The output. Keeps no reference to anything it makes: only autograd holds activations.
  virtual at::Tensor forward() = 0;
  // Selects the micro-batch of the next forward and loss, from 0.
  virtual void select_micro_batch(std::int64_t /*index*/) {}
  // Before each step: the next batch, where there is more than one.
  virtual void next_batch() {}
  // Pass generate: reads the prompt and adds the first new token; then adds token `index`, from 1.
  virtual void prefill() {}
  virtual void decode(std::int64_t /*index*/) {}
  // The new tokens of the first sequence so far, and their text if there is a corpus.
  struct Generated {
    std::vector<std::int64_t> tokens;
    std::string text;
  };
  [[nodiscard]] virtual Generated generated() const { return {}; }
  // Result numbers of the last forward, for workloads whose purpose they are, and the same numbers
  // over an x. Computed on request, between steps; curves only once, with the same operators on
  // tensors of the same types. Nothing without data.
  [[nodiscard]] virtual std::vector<run::NamedNumber> results() { return {}; }
  [[nodiscard]] virtual std::vector<run::ResultCurve> curves() { return {}; }
  // The scalar from which a backward starts: the mean of the squares of the output, unless the
  // workload has a real loss. (A mean of squares gives every output a different gradient, dense in
  // memory as the gradient from a following layer would be; a plain sum gives an expanded one.)
  virtual at::Tensor loss(at::Tensor output);
  // A stage of a pipeline that is not the last: the gradient of the output of the selected
  // micro-batch, which the next stage sends. Undefined elsewhere: then there is a loss.
  [[nodiscard]] virtual at::Tensor received_gradient() const { return {}; }
};

// A workload NAME is made by make_NAME, in kernels/workloads/NAME.cpp.
#define TENSORSCOPE_MAKER(name) \
  std::unique_ptr<Workload> make_##name(Builder& builder, const spec::WorkloadSpec& spec);
TENSORSCOPE_WORKLOADS(TENSORSCOPE_MAKER)
#undef TENSORSCOPE_MAKER

// The one that the spec names. Throws c10::Error as LibTorch's operators do.
std::unique_ptr<Workload> make_workload(Builder& builder, const spec::WorkloadSpec& spec);

// The input of a layer inside a network, [B, T, d_model], normal. With a backward it gets a
// gradient as well, as the output of an earlier layer would.
at::Tensor make_stream_input(Builder& builder, const spec::WorkloadSpec& spec);

}  // namespace ts::kernels
