#include "kernels/layers/checkpoint.h"

#include <ATen/core/grad_mode.h>
#include <torch/csrc/autograd/autograd.h>
#include <torch/csrc/autograd/custom_function.h>
#include <torch/custom_class.h>

#include <optional>

#include "kernels/device/precision.h"
#include "kernels/layers/dropout.h"
#include "kernels/observe/custom_node.h"

namespace ts::kernels {
namespace {

using torch::autograd::AutogradContext;
using torch::autograd::variable_list;

// The data of the backward besides tensors.
struct Call : torch::CustomClassHolder {
  Body body;
  AutocastState autocast;
  std::optional<RandomState> numbers;  // with which the forward began, where it draws
};

class CheckpointFunction : public torch::autograd::Function<CheckpointFunction> {
 public:
  // Runs without a graph, like every forward of a custom function.
  static at::Tensor forward(AutogradContext* context, at::TensorList inputs,
                            const c10::intrusive_ptr<Call>& call) {
    context->save_for_backward(inputs.vec());
    context->saved_data["call"] = c10::IValue::make_capsule(call);
    return call->body(inputs.vec());
  }

  static variable_list backward(AutogradContext* context, const variable_list& gradients) {
    const auto call =
        c10::static_intrusive_pointer_cast<Call>(context->saved_data["call"].toCapsule());
    variable_list inputs;
    for (const at::Tensor& saved : context->get_saved_variables()) {
      inputs.push_back(saved.detach().set_requires_grad(saved.requires_grad()));
    }
    at::Tensor output;
    {
      const at::AutoGradMode grad_mode(true);
      const AutocastScope autocast(call->autocast);
      const RecomputeScope recompute;
      std::optional<RandomState> numbers = call->numbers;
      std::optional<DrawsFrom> draws;
      if (numbers) draws.emplace(inputs.front().device(), *numbers);
      output = call->body(inputs);
    }
    torch::autograd::backward({std::move(output)}, gradients);
    variable_list results;
    for (const at::Tensor& input : inputs) results.push_back(input.grad());
    results.emplace_back();  // of `call`
    return results;
  }
};

}  // namespace

at::Tensor checkpoint(const Body& body, const std::vector<at::Tensor>& inputs) {
  if (!at::GradMode::is_enabled()) return body(inputs);
  auto call = c10::make_intrusive<Call>();
  call->body = body;
  call->autocast = AutocastState::current(inputs.front().device().type());
  if (DrawsFrom::alive()) call->numbers = RandomState::of(inputs.front().device());
  note_custom_node();
  return CheckpointFunction::apply(at::TensorList(inputs), call);
}

}  // namespace ts::kernels
