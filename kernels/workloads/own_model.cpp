#include <ATen/core/grad_mode.h>
#include <ATen/ops/cross_entropy_loss.h>
#include <ATen/ops/mean.h>

#include <algorithm>
#include <vector>

#include "core/spec/own_model.h"
#include "core/spec/workload_math.h"
#include "core/text/message.h"
#include "kernels/exported/graph_runner.h"
#include "kernels/exported/model_tensors.h"
#include "kernels/observe/dry_recording.h"
#include "kernels/observe/failure.h"
#include "kernels/workloads/workload.h"

namespace ts::kernels {
namespace {

// A module of the user's own, as torch.export wrote it down. Every micro-batch has inputs of its
// own.
class OwnModel final : public Workload {
 public:
  OwnModel(Builder& builder, const spec::WorkloadSpec& spec,
           std::shared_ptr<const exported::ModelFile> model)
      : model_(std::move(model)),
        runner_(model_, builder.options().device(), spec.backend),
        tensors_(make_model_tensors(builder, spec, *model_)),
        loss_(loss_of(spec)) {
    for (std::int64_t i = 0; i < spec::micro_batches(spec); ++i) {
      inputs_.push_back(make_user_inputs(builder, spec, *model_));
      if (loss_ == spec::Loss::cross_entropy && spec::has_backward(spec.pass)) {
        targets_.push_back(make_targets(builder, spec));
      }
    }
  }

  void select_micro_batch(std::int64_t index) override {
    micro_batch_ = static_cast<std::size_t>(index);
  }

  at::Tensor forward() override {
    const exported::Program& program = model_->program();
    const exported::Graph& graph = program.graphs.front();
    std::vector<c10::IValue> by_slot(graph.metas.size());
    for (std::size_t i = 0; i < program.inputs.size(); ++i) {
      const c10::IValue& given = inputs_[micro_batch_][i];
      by_slot[program.inputs[i].slot] = tensors_[i].defined() ? c10::IValue(tensors_[i]) : given;
    }
    std::vector<c10::IValue> values;
    for (const exported::Slot slot : graph.inputs) {
      values.push_back(slot == exported::kNone ? c10::IValue() : by_slot[slot]);
    }
    by_slot.clear();
    std::vector<at::Tensor> results = runner_.run(std::move(values));
    update_buffers(results);
    return std::move(results[output()]);
  }

  at::Tensor loss(at::Tensor output) override {
    if (loss_ == spec::Loss::own) return output;
    if (loss_ == spec::Loss::mean) return at::mean(output);
    return at::cross_entropy_loss(output.reshape({-1, output.size(-1)}), targets_[micro_batch_]);
  }

 private:
  [[nodiscard]] const exported::TensorMeta& meta_of_output(std::size_t index) const {
    const exported::Program& program = model_->program();
    return program.graphs.front().metas[program.outputs[index]];
  }
  [[nodiscard]] bool is_number(std::size_t index) const {
    return meta_of_output(index).sizes.empty() && is_floating(meta_of_output(index).type);
  }

  // The output that the loss is made of: its own is a number, others have sizes.
  [[nodiscard]] std::size_t output() const {
    const std::size_t count = model_->program().outputs.size();
    for (std::size_t i = 0; i < count; ++i) {
      if (!is_floating(meta_of_output(i).type)) continue;
      if (is_number(i) == (loss_ == spec::Loss::own)) return i;
    }
    return 0;
  }

  [[nodiscard]] spec::Loss loss_of(const spec::WorkloadSpec& spec) const {
    const exported::Program& program = model_->program();
    const bool number = is_number(0);
    if (spec.loss == spec::Loss::own && spec::has_backward(spec.pass)) {
      for (std::size_t i = 0; i < program.outputs.size(); ++i) {
        if (is_number(i)) return spec::Loss::own;
      }
      throw BadInput(text::message("model_error.no_loss"));
    }
    if (spec.loss != spec::Loss::automatic) return spec.loss;
    if (number) return spec::Loss::own;
    const bool tokens = std::ranges::any_of(program.inputs, [this](const exported::Input& input) {
      return input.kind == exported::InputKind::user && input.tensor &&
             !is_floating(model_->program().meta_of(input).type) && model_->bound_of(input) > 0;
    });
    return tokens ? spec::Loss::cross_entropy : spec::Loss::mean;
  }

  at::Tensor make_targets(Builder& builder, const spec::WorkloadSpec& spec) const {
    const exported::TensorMeta& meta = meta_of_output(output());
    if (meta.sizes.empty()) throw BadInput(text::message("model_error.no_classes"));
    const auto symbols = spec::symbol_values(spec, *model_);
    std::int64_t rows = 1, classes = 1;
    for (const exported::Size& size : meta.sizes) {
      rows *= classes;
      classes = model_->program().size_of(size, symbols);
      if (classes < 1)
        throw BadInput(text::message("model_error.input_size", {{"name", "output"}}));
    }
    return builder.token_input({rows}, classes);
  }

  void update_buffers(const std::vector<at::Tensor>& results) {
    const exported::Program& program = model_->program();
    const at::NoGradGuard no_grad;
    for (std::size_t i = 0; i < program.mutations.size(); ++i) {
      tensors_[program.mutations[i].input].copy_(results[program.outputs.size() + i]);
    }
  }

  std::shared_ptr<const exported::ModelFile> model_;
  GraphRunner runner_;
  std::vector<at::Tensor> tensors_;  // by input of the program; undefined: the user's
  spec::Loss loss_;
  std::vector<std::vector<c10::IValue>> inputs_;  // by micro-batch
  std::vector<at::Tensor> targets_;
  std::size_t micro_batch_ = 0;
};

}  // namespace

std::unique_ptr<Workload> make_own_model(Builder& builder, const spec::WorkloadSpec& spec) {
  if (const auto model = exported::open_model(spec.model); !model) throw BadInput(model.error());
  const auto model = spec::model_to_run(spec);
  const DryRecording* const dry = DryRecording::current();
  const bool few = dry != nullptr && dry->samples_modules() && model->sample() != nullptr;
  return std::make_unique<OwnModel>(builder, spec, few ? model->sample() : model);
}

}  // namespace ts::kernels
