#include "kernels/dry_run/meta_backward.h"

#include <ATen/core/grad_mode.h>
#include <ATen/ops/ones_like.h>
#include <torch/csrc/autograd/engine.h>
#include <torch/csrc/autograd/function.h>
#include <torch/csrc/autograd/input_buffer.h>

#include <queue>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "core/base/check.h"
#include "core/text/message.h"
#include "kernels/observe/cancellation.h"
#include "kernels/observe/dry_recording.h"
#include "kernels/observe/failure.h"

namespace ts::kernels {
namespace {

using torch::autograd::InputBuffer;
using torch::autograd::Node;
using torch::autograd::variable_list;

// A node that every gradient has reached.
struct Ready {
  Node* node;
  InputBuffer gradients;
};
// Ordered as the engine's queue: sums for parameters, with the highest number, come first.
struct Earlier {
  bool operator()(const Ready& a, const Ready& b) const {
    return a.node->sequence_nr() < b.node->sequence_nr();
  }
};

// A node that waits for more gradients.
struct Awaited {
  int missing = 0;
  InputBuffer gradients{variable_list{}};
};

class Backward {
 public:
  Backward(DryRecording& dry, const torch::autograd::Edge& root, bool keep_graph)
      : dry_(dry), root_(root), keep_graph_(keep_graph) {
    std::vector<const Node*> unseen = {root.function.get()};
    while (!unseen.empty()) {
      const Node* const node = unseen.back();
      unseen.pop_back();
      for (const torch::autograd::Edge& edge : node->next_edges()) {
        if (edge.function == nullptr) continue;
        const auto [place, first_time] = awaited_.try_emplace(edge.function.get());
        ++place->second.missing;
        if (first_time) unseen.push_back(edge.function.get());
      }
    }
  }

  void run(at::Tensor gradient) {
    Ready first{root_.function.get(), buffer_of(*root_.function)};
    first.gradients.add(root_.input_nr, std::move(gradient), {}, {}, first.node);
    ready_.push(std::move(first));
    while (!ready_.empty()) {
      // The queue returns its first element as const; its order does not depend on the moved part.
      Ready task = std::move(const_cast<Ready&>(ready_.top()));
      ready_.pop();
      check_cancelled();
      frame_name_.resize(kFrame.size());
      frame_name_ += task.node->name();
      const DryRecording::NodeFrame frame(dry_, frame_name_);
      try {
        hand_on(*task.node, outputs_of(*task.node, std::move(task.gradients)));
      } catch (const c10::NotImplementedError&) {
        throw BadInput(text::message("model_error.no_dry_run",
                                     {{"name", task.node->name()}, {"place", dry_.open_module()}}));
      }
    }
  }

 private:
  // There are no streams to wait for: a buffer only needs room for the gradients.
  static InputBuffer buffer_of(const Node& node) {
    return InputBuffer(variable_list(node.num_inputs()));
  }

  static variable_list outputs_of(Node& node, InputBuffer gradients) {
    node.will_release_variables();
    variable_list inputs = std::move(gradients.buffer);
    variable_list outputs = node(std::move(inputs));
    torch::autograd::validate_outputs(node.next_edges(), outputs, [&node](const std::string& what) {
      return "Node " + node.name() + " returned an " + what;
    });
    return outputs;
  }

  void hand_on(Node& node, variable_list outputs) {
    if (!keep_graph_) node.release_variables();
    for (std::size_t i = 0; i < outputs.size(); ++i) {
      const torch::autograd::Edge& next = node.next_edge(i);
      if (!next.is_valid()) continue;
      Node* const receiver = next.function.get();
      const auto found = awaited_.find(receiver);
      TS_CHECK(found != awaited_.end());
      Awaited& awaited = found->second;
      if (awaited.gradients.buffer.empty()) awaited.gradients = buffer_of(*receiver);
      awaited.gradients.add(next.input_nr, std::move(outputs[i]), {}, {}, receiver);
      if (--awaited.missing > 0) continue;
      ready_.push({receiver, std::move(awaited.gradients)});
      awaited_.erase(found);
    }
  }

  static constexpr std::string_view kFrame = "autograd::engine::evaluate_function: ";

  DryRecording& dry_;
  const torch::autograd::Edge root_;
  const bool keep_graph_;
  std::unordered_map<const Node*, Awaited> awaited_;
  std::priority_queue<Ready, std::vector<Ready>, Earlier> ready_;
  std::string frame_name_{kFrame};
};

}  // namespace

void backward_of_meta(const at::Tensor& loss, bool keep_graph) {
  DryRecording* const dry = DryRecording::current();
  TS_CHECK(dry != nullptr && loss.is_meta() && loss.numel() == 1);
  // As LibTorch's own backward refuses it: no parameter reaches the loss.
  TORCH_CHECK(loss.requires_grad(), "the loss does not depend on any parameter");
  // Lives as long as the backward; the engine's caller holds it in the same way.
  const at::Tensor one = at::ones_like(loss, at::MemoryFormat::Contiguous);
  const at::AutoGradMode no_graph(false);
  Backward(*dry, torch::autograd::impl::gradient_edge(loss), keep_graph).run(one);
}

void backward_of_meta(const at::Tensor& output, const at::Tensor& gradient) {
  DryRecording* const dry = DryRecording::current();
  TS_CHECK(dry != nullptr && output.is_meta() && output.sizes() == gradient.sizes());
  const at::AutoGradMode no_graph(false);
  Backward(*dry, torch::autograd::impl::gradient_edge(output), /*keep_graph=*/false).run(gradient);
}

}  // namespace ts::kernels
