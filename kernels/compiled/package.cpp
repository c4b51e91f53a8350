#include "kernels/compiled/package.h"

#include <dlfcn.h>
#include <torch/csrc/autograd/custom_function.h>
#include <torch/csrc/inductor/aoti_package/model_package_loader.h>
#include <torch/custom_class.h>

#include <nlohmann/json.hpp>
#include <optional>
#include <unordered_map>
#include <utility>

#include "core/io/json_parse.h"
#include "core/text/message.h"
#include "kernels/observe/custom_node.h"
#include "kernels/observe/failure.h"

namespace ts::kernels {
namespace {

using Loader = torch::inductor::AOTIModelPackageLoader;
using torch::autograd::AutogradContext;
using torch::autograd::variable_list;

// Packages need LibTorch's symbols from the process that loads them, but the engine's library was
// loaded with local visibility. This makes LibTorch's symbols visible.
void show_libtorch() {
  static const bool shown = [] {
    dlopen("libc10.so", RTLD_NOW | RTLD_GLOBAL | RTLD_NOLOAD);
    dlopen("libtorch_cpu.so", RTLD_NOW | RTLD_GLOBAL | RTLD_NOLOAD);
    return true;
  }();
  (void)shown;
}

}  // namespace

struct CompiledPackage::Models {
  // The source of an input of the backward.
  enum class Source { input, kept, loss_gradient };

  std::optional<Loader> infer;
  std::optional<Loader> forward;
  std::optional<Loader> backward;
  std::vector<std::pair<Source, std::size_t>> backward_inputs;
  std::vector<std::size_t> gradients;  // the tensor that each output of the backward belongs to
};

namespace {

using Source = CompiledPackage::Models::Source;

struct Call : torch::CustomClassHolder {
  CompiledPackage::Models* models = nullptr;
};

class CompiledStep : public torch::autograd::Function<CompiledStep> {
 public:
  static at::Tensor forward(AutogradContext* context, at::TensorList tensors,
                            const c10::intrusive_ptr<Call>& call) {
    std::vector<at::Tensor> detached;
    for (const at::Tensor& tensor : tensors) detached.push_back(tensor.detach());
    std::vector<at::Tensor> outputs = call->models->forward->run(detached);
    variable_list inputs;
    std::vector<at::Tensor> kept;
    for (const auto& [source, index] : call->models->backward_inputs) {
      if (source == Source::input) inputs.push_back(tensors[index]);
      if (source == Source::kept) kept.push_back(outputs[index]);
    }
    context->save_for_backward(std::move(inputs));
    // Not with save_for_backward, which would keep them until the end of the backward.
    context->saved_data["kept"] = std::move(kept);
    context->saved_data["call"] = c10::IValue::make_capsule(call);
    context->saved_data["tensors"] = static_cast<std::int64_t>(tensors.size());
    return std::move(outputs.front());
  }

  static variable_list backward(AutogradContext* context, const variable_list& loss_gradient) {
    const auto call =
        c10::static_intrusive_pointer_cast<Call>(context->saved_data["call"].toCapsule());
    const CompiledPackage::Models& models = *call->models;
    variable_list given = context->get_saved_variables();
    std::vector<at::Tensor> kept = context->saved_data.at("kept").toTensorVector();
    context->saved_data.erase("kept");
    std::vector<at::Tensor> inputs;
    std::size_t next_given = 0;
    std::size_t next_kept = 0;
    for (const auto& [source, index] : models.backward_inputs) {
      switch (source) {
        case Source::input:
          inputs.push_back(given[next_given++].detach());
          break;
        case Source::kept:
          inputs.push_back(std::move(kept[next_kept++]));
          break;
        case Source::loss_gradient:
          inputs.push_back(loss_gradient[index].contiguous());
          break;
      }
    }
    given.clear();
    std::vector<at::Tensor> outputs = call->models->backward->boxed_run(std::move(inputs));
    variable_list results(static_cast<std::size_t>(context->saved_data["tensors"].toInt()) + 1);
    for (std::size_t i = 0; i < models.gradients.size(); ++i) {
      results[models.gradients[i]] = std::move(outputs[i]);
    }
    return results;
  }
};

nlohmann::json list_in(const std::unordered_map<std::string, std::string>& metadata,
                       const char* name) {
  auto json = io::parse_json(metadata.at(name));
  if (!json)
    throw BadInput(text::message("package_error.broken_json",
                                 {{"name", name}, text::argument("reason", json.error())}));
  return std::move(*json);
}

void read_connections(Loader& backward, CompiledPackage::Models& models) {
  const auto metadata = backward.get_metadata();
  for (const auto& entry : list_in(metadata, "backward_inputs")) {
    const auto name = entry.at(0).get<std::string>();
    models.backward_inputs.emplace_back(name == "input"  ? Source::input
                                        : name == "kept" ? Source::kept
                                                         : Source::loss_gradient,
                                        entry.at(1).get<std::size_t>());
  }
  models.gradients = list_in(metadata, "gradients").get<std::vector<std::size_t>>();
}

}  // namespace

CompiledPackage::CompiledPackage(const std::filesystem::path& path, const std::string& key,
                                 bool trains)
    : models_(std::make_unique<Models>()) {
  show_libtorch();
  const std::string first = trains ? "forward" : "infer";
  if (Loader::load_metadata_from_package(path.string(), first)["key"] != key) {
    throw BadInput(text::message("package_error.another", {{"path", path.string()}}));
  }
  if (!trains) {
    models_->infer.emplace(path.string(), first);
    return;
  }
  models_->forward.emplace(path.string(), first);
  models_->backward.emplace(path.string(), "backward");
  read_connections(*models_->backward, *models_);
}

CompiledPackage::~CompiledPackage() = default;

at::Tensor CompiledPackage::output(const std::vector<at::Tensor>& tensors) {
  return std::move(models_->infer->run(tensors).front());
}

at::Tensor CompiledPackage::loss(const std::vector<at::Tensor>& tensors) {
  auto call = c10::make_intrusive<Call>();
  call->models = models_.get();
  note_custom_node();
  return CompiledStep::apply(at::TensorList(tensors), call);
}

}  // namespace ts::kernels
