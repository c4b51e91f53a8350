#pragma once

#include <ATen/core/ivalue.h>
#include <c10/core/Device.h>

#include <memory>
#include <vector>

#include "core/exported/model_file.h"
#include "core/spec/workload_spec.h"
#include "kernels/exported/plan.h"

namespace ts::kernels {

// Runs the graph of an exported program, node after node, by boxed calls through the dispatcher:
// autograd, autocast and the hooks see what they would see of Python. A value is let go of after
// its last use. Operators carry their module and line. Devices that the graph names are the run's
// own. Throws BadInput that names the node, and what LibTorch throws for memory. Worker thread.
class GraphRunner {
 public:
  // Throws BadInput where LibTorch lacks operators.
  // `attention`: the kernel that scaled_dot_product_attention must use.
  GraphRunner(std::shared_ptr<const exported::ModelFile> model, c10::Device device,
              spec::AttentionBackend attention);

  // `inputs`: a value for each input of the program's graph, in order. The result: the tensors that
  // the forward returns, and then the new values of buffers, as in Program.
  [[nodiscard]] std::vector<at::Tensor> run(std::vector<c10::IValue> inputs) const;

 private:
  friend class GraphFrame;
  std::shared_ptr<const exported::ModelFile> model_;
  std::shared_ptr<const Plan> plan_;
  c10::Device device_;
  spec::AttentionBackend attention_;
};

}  // namespace ts::kernels
