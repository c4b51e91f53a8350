#include "kernels/exported/graph_runner.h"

#include <ATen/InferSize.h>
#include <ATen/ScalarOps.h>
#include <ATen/TensorUtils.h>
#include <ATen/autocast_mode.h>
#include <ATen/core/List.h>
#include <ATen/core/grad_mode.h>
#include <ATen/record_function.h>
#include <c10/core/MemoryFormat.h>

#include <algorithm>
#include <optional>
#include <string>
#include <utility>

#include "core/text/message.h"
#include "kernels/device/precision.h"
#include "kernels/device/sdpa_steering.h"
#include "kernels/dry_run/meta_autocast.h"
#include "kernels/dry_run/recurrent.h"
#include "kernels/dry_run/sdpa.h"
#include "kernels/exported/model_tensors.h"
#include "kernels/exported/number_operators.h"
#include "kernels/layers/checkpoint.h"
#include "kernels/observe/failure.h"
#include "kernels/observe/module_scope.h"

namespace ts::kernels {
namespace {

using c10::IValue;
using exported::kNone;

constexpr const char* kAttention = "torch.ops.aten.scaled_dot_product_attention.default";
constexpr const char* kView = "torch.ops.aten.view.default";

// A number in place of a tensor, as Python's binding makes it.
at::Tensor wrapped_number(const IValue& value) {
  at::Tensor tensor = c10::scalar_to_tensor(value.toScalar());
  tensor.unsafeGetTensorImpl()->set_wrapped_number(true);
  return tensor;
}

c10::TypePtr without_optional(const c10::TypePtr& type) {
  if (const auto optional = type->cast<c10::OptionalType>()) return optional->getElementType();
  return type;
}

std::int64_t memory_format(int number) {
  switch (number) {
    case 2:
      return static_cast<std::int64_t>(c10::MemoryFormat::ChannelsLast);
    case 3:
      return static_cast<std::int64_t>(c10::MemoryFormat::ChannelsLast3d);
    case 4:
      return static_cast<std::int64_t>(c10::MemoryFormat::Preserve);
    default:
      return static_cast<std::int64_t>(c10::MemoryFormat::Contiguous);
  }
}

// Switches the autocast of the device off while it lives.
class NoAutocast {
 public:
  explicit NoAutocast(c10::DeviceType device) : device_(device) {
    if (device == c10::DeviceType::Meta) {
      meta_.emplace();
      return;
    }
    before_ = at::autocast::is_autocast_enabled(device);
    at::autocast::set_autocast_enabled(device, false);
  }
  ~NoAutocast() {
    if (!meta_) at::autocast::set_autocast_enabled(device_, before_);
  }
  NoAutocast(const NoAutocast&) = delete;
  NoAutocast& operator=(const NoAutocast&) = delete;

 private:
  c10::DeviceType device_;
  std::optional<NoMetaAutocast> meta_;
  bool before_ = false;
};

}  // namespace

// One run of one graph: its values.
class GraphFrame {
 public:
  GraphFrame(const GraphRunner& runner, std::uint32_t graph)
      : runner_(runner),
        program_(runner.model_->program()),
        graph_(program_.graphs[graph]),
        nodes_(runner.plan_->graphs[graph]),
        values_(graph_.metas.size()) {}

  void set_inputs(std::vector<IValue> inputs) {
    for (std::size_t i = 0; i < graph_.inputs.size() && i < inputs.size(); ++i) {
      if (graph_.inputs[i] != kNone) values_[graph_.inputs[i]] = std::move(inputs[i]);
    }
  }

  // `modules`: those that are open around the graph stay open.
  void run() {
    Modules modules(runner_, program_);
    for (std::size_t i = 0; i < graph_.nodes.size(); ++i) {
      const exported::Node& node = graph_.nodes[i];
      modules.enter(node.place);
      run_node(node, nodes_[i]);
      for (const exported::Slot slot : node.last_uses) values_[slot] = IValue();
    }
  }

  [[nodiscard]] const IValue& value(exported::Slot slot) const { return values_[slot]; }
  [[nodiscard]] std::vector<IValue> outputs() const {
    std::vector<IValue> results;
    for (const exported::Argument& output : graph_.outputs) results.push_back(plain(output));
    return results;
  }

 private:
  // The modules of the node at work.
  class Modules {
   public:
    Modules(const GraphRunner& runner, const exported::Program& program)
        : plan_(*runner.plan_), program_(program) {}
    ~Modules() { close_to(0); }
    Modules(const Modules&) = delete;
    Modules& operator=(const Modules&) = delete;

    void enter(std::uint32_t place) {
      const auto& wanted = program_.places[place].modules;
      std::size_t same = 0;
      while (same < wanted.size() && same < open_.size() && open_[same].first == wanted[same]) {
        ++same;
      }
      close_to(same);
      for (std::size_t i = same; i < wanted.size(); ++i) {
        const std::string& path = plan_.module_paths[wanted[i]];
        open_.emplace_back(wanted[i], path.empty() ? nullptr : std::make_unique<ModuleScope>(path));
      }
    }

   private:
    void close_to(std::size_t count) {
      while (open_.size() > count) open_.pop_back();
    }
    const Plan& plan_;
    const exported::Program& program_;
    std::vector<std::pair<std::uint32_t, std::unique_ptr<ModuleScope>>> open_;
  };

  void run_node(const exported::Node& node, const PlannedNode& planned) {
    if (planned.kind == NodeKind::nothing) return;
    const std::string& place = runner_.plan_->places[node.place];
    const PlaceScope scope(place);
    try {
      switch (planned.kind) {
        case NodeKind::operator_call:
          call(node, planned);
          break;
        case NodeKind::number:
          put(node, {number_result(node.target, operands(node, 0))});
          break;
        default:
          run_part(node, planned.kind);
          break;
      }
    } catch (const c10::OutOfMemoryError&) {
      throw;
    } catch (const c10::NotImplementedError&) {
      if (!runner_.device_.is_meta()) throw;
      throw BadInput(
          text::message("model_error.no_dry_run", {{"name", node.target}, {"place", place}}));
    } catch (const c10::Error& error) {
      // An assertion of LibTorch's names its own source: the arguments do not fit.
      std::string what = error.what_without_backtrace();
      if (what.find("INTERNAL ASSERT") != std::string::npos)
        what = "its arguments are not of the types that it takes";
      throw BadInput(text::message(
          "model_error.node",
          {{"name", node.target}, {"place", place}, {"reason", what.substr(0, what.find('\n'))}}));
    }
  }

  void call(const exported::Node& node, const PlannedNode& planned) {
    if (runner_.device_.is_meta()) {
      if (attended_without_data(node)) return;
      if (is_recurrent(node.target)) {
        return put(node, recurrent_without_data(node.target, operands(node, 0)));
      }
    }
    const auto& arguments = planned.op->schema().arguments();
    torch::jit::Stack stack;
    stack.reserve(arguments.size());
    for (std::size_t i = 0; i < arguments.size(); ++i) {
      const int input = planned.arguments[i];
      if (input >= 0) {
        stack.push_back(
            converted(node.inputs[static_cast<std::size_t>(input)].value, arguments[i]));
      } else if (arguments[i].name() == "device" && !takes_tensor(node)) {
        stack.emplace_back(runner_.device_);
      } else {
        stack.push_back(arguments[i].default_value() ? *arguments[i].default_value() : IValue());
      }
    }
    std::optional<SdpaSteering> steering;
    if (node.target == kAttention) steering.emplace(runner_.attention_);
    (is_copied(node, stack) ? reshape() : *planned.op).callBoxed(stack);
    put(node, std::move(stack));
  }

  // torch.export writes a reshape as the view that it was of the example, whose kernel of attention
  // may have laid its result out in another way.
  static bool is_copied(const exported::Node& node, const torch::jit::Stack& stack) {
    if (node.target != kView) return false;
    const at::Tensor& tensor = stack.at(0).toTensor();
    const auto sizes = at::infer_size_dv(stack.at(1).toIntVector(), tensor.numel());
    return !at::detail::computeStride(tensor.sizes(), tensor.strides(), sizes);
  }

  static const c10::OperatorHandle& reshape() {
    static const auto found = c10::Dispatcher::singleton().findSchemaOrThrow("aten::reshape", "");
    return found;
  }

  static bool takes_tensor(const exported::Node& node) {
    return std::any_of(node.inputs.begin(), node.inputs.end(), [](const auto& input) {
      return std::holds_alternative<exported::TensorArgument>(input.value);
    });
  }

  // Attention of tensors without data: what the device would choose.
  bool attended_without_data(const exported::Node& node) {
    if (node.target != kAttention) return false;
    SdpaOptions options;
    bool grouped = false;
    for (const exported::NamedArgument& input : node.inputs) {
      const IValue value = plain(input.value);
      if (input.name == "is_causal") options.causal = value.toBool();
      if (input.name == "enable_gqa") grouped = value.toBool();
      if (input.name == "attn_mask" && value.isTensor()) options.mask = value.toTensor();
      if (input.name == "scale" && !value.isNone()) options.scale = value.toScalar().toDouble();
      if (input.name == "dropout_p") options.dropout = value.toScalar().toDouble();
    }
    if (node.inputs.size() < 3) return false;
    const at::Tensor q = plain(node.inputs[0].value).toTensor();
    const at::Tensor k = plain(node.inputs[1].value).toTensor();
    const at::Tensor v = plain(node.inputs[2].value).toTensor();
    if (q.dim() != 4 || k.dim() != 4 || v.dim() != 4) return false;
    options.broadcasts = !grouped && (q.size(1) != k.size(1) || q.size(1) != v.size(1));
    RECORD_FUNCTION("aten::scaled_dot_product_attention", c10::ArrayRef<const c10::IValue>{});
    put(node, {attend_sdpa_dry(runner_.attention_, options, q, k, v)});
    return true;
  }

  // A value as it is.
  [[nodiscard]] IValue plain(const exported::Argument& argument) const {
    if (const auto* const tensor = std::get_if<exported::TensorArgument>(&argument)) {
      return values_[tensor->slot];
    }
    if (const auto* const number = std::get_if<exported::NumberArgument>(&argument)) {
      return values_[number->slot];
    }
    if (const auto* const list = std::get_if<exported::TensorList>(&argument)) {
      return tensors(*list, list->optional);
    }
    if (const auto* const list = std::get_if<exported::IntList>(&argument)) return ints(*list);
    if (const auto* const number = std::get_if<std::int64_t>(&argument)) return *number;
    if (const auto* const number = std::get_if<double>(&argument)) return *number;
    if (const auto* const truth = std::get_if<bool>(&argument)) return *truth;
    if (const auto* const words = std::get_if<std::string>(&argument)) return *words;
    if (const auto* const reals = std::get_if<std::vector<double>>(&argument)) {
      return c10::List<double>(*reals);
    }
    if (const auto* const truths = std::get_if<std::vector<bool>>(&argument)) {
      c10::List<bool> list;
      for (const bool truth : *truths) list.push_back(truth);
      return list;
    }
    if (const auto* const type = std::get_if<exported::ElementType>(&argument)) {
      return static_cast<std::int64_t>(scalar_type_of(*type));
    }
    if (const auto* const format = std::get_if<exported::MemoryFormat>(&argument)) {
      return memory_format(format->number);
    }
    if (std::holds_alternative<exported::Layout>(argument)) {
      return static_cast<std::int64_t>(c10::kStrided);
    }
    if (std::holds_alternative<exported::DeviceArgument>(argument)) return runner_.device_;
    if (const auto* const other = std::get_if<exported::OtherArgument>(&argument)) {
      throw BadInput(text::message("model_error.argument", {{"kind", other->kind}}));
    }
    return {};
  }

  [[nodiscard]] IValue tensors(const exported::TensorList& list, bool optional) const {
    if (!optional) {
      c10::List<at::Tensor> all;
      for (const exported::Slot slot : list.slots) all.push_back(values_[slot].toTensor());
      return all;
    }
    c10::List<std::optional<at::Tensor>> all;
    for (const exported::Slot slot : list.slots) {
      all.push_back(slot == kNone ? std::nullopt
                                  : std::optional<at::Tensor>(values_[slot].toTensor()));
    }
    return all;
  }

  [[nodiscard]] IValue ints(const exported::IntList& list) const {
    c10::List<std::int64_t> all;
    for (const exported::IntOrSlot& item : list.items) {
      all.push_back(item.slot == kNone ? item.number : values_[item.slot].toInt());
    }
    return all;
  }

  // As the operator's schema wants it.
  [[nodiscard]] IValue converted(const exported::Argument& argument,
                                 const c10::Argument& wanted) const {
    const c10::TypePtr type = without_optional(wanted.type());
    if (const auto* const list = std::get_if<exported::TensorList>(&argument)) {
      const auto element = type->cast<c10::ListType>();
      const bool optional =
          element != nullptr && element->getElementType()->kind() == c10::TypeKind::OptionalType;
      return tensors(*list, optional);
    }
    IValue value = plain(argument);
    const bool number = value.isInt() || value.isDouble() || value.isBool();
    if (type->kind() == c10::TypeKind::TensorType && number) return wrapped_number(value);
    if (type->kind() == c10::TypeKind::FloatType && value.isInt()) {
      return static_cast<double>(value.toInt());
    }
    const auto list = type->cast<c10::ListType>();
    if (list == nullptr) return value;
    const c10::TypeKind element = list->getElementType()->kind();
    if (element == c10::TypeKind::IntType && value.isInt()) {
      return c10::List<std::int64_t>({value.toInt()});
    }
    if (element == c10::TypeKind::FloatType && value.isIntList()) {
      c10::List<double> reals;
      for (const std::int64_t one : value.toIntVector()) reals.push_back(static_cast<double>(one));
      return reals;
    }
    return value;
  }

  [[nodiscard]] std::vector<IValue> operands(const exported::Node& node, std::size_t first) const {
    std::vector<IValue> all;
    for (std::size_t i = first; i < node.inputs.size(); ++i) {
      all.push_back(plain(node.inputs[i].value));
    }
    return all;
  }

  void put(const exported::Node& node, std::vector<IValue> results) {
    for (std::size_t i = 0; i < node.outputs.size() && i < results.size(); ++i) {
      const exported::Output& output = node.outputs[i];
      if (!output.list) {
        if (!output.slots.empty()) values_[output.slots.front()] = std::move(results[i]);
        continue;
      }
      std::vector<at::Tensor> all = results[i].toTensorVector();
      for (std::size_t k = 0; k < output.slots.size() && k < all.size(); ++k) {
        values_[output.slots[k]] = std::move(all[k]);
      }
    }
  }

  // The results of a sub-graph, one for each output of the node; a node with a list takes all.
  void put_part(const exported::Node& node, std::vector<IValue> results) {
    if (node.outputs.size() != 1 || !node.outputs.front().list)
      return put(node, std::move(results));
    const std::vector<exported::Slot>& slots = node.outputs.front().slots;
    for (std::size_t i = 0; i < slots.size() && i < results.size(); ++i) {
      values_[slots[i]] = std::move(results[i]);
    }
  }

  [[noreturn]] static void refuse(const exported::Node& node) {
    throw BadInput(text::message("model_error.part", {{"name", node.target}}));
  }

  static std::uint32_t graph_at(const exported::Node& node, std::size_t position) {
    const auto* const part =
        position < node.inputs.size()
            ? std::get_if<exported::GraphArgument>(&node.inputs[position].value)
            : nullptr;
    if (part == nullptr) refuse(node);
    return part->graph;
  }

  [[nodiscard]] std::vector<IValue> run_graph(std::uint32_t graph,
                                              std::vector<IValue> inputs) const {
    GraphFrame frame(runner_, graph);
    frame.set_inputs(std::move(inputs));
    frame.run();
    return frame.outputs();
  }

  void run_part(const exported::Node& node, NodeKind kind) {
    switch (kind) {
      case NodeKind::set_grad: {
        const std::uint32_t graph = graph_at(node, 1);
        const at::AutoGradMode mode(plain(node.inputs[0].value).toBool());
        return put_part(node, run_graph(graph, operands(node, 2)));
      }
      case NodeKind::autocast:
        return run_autocast(node);
      case NodeKind::checkpoint:
        return run_checkpoint(node);
      case NodeKind::subgraph:
        return put_part(node, run_graph(graph_at(node, 0), operands(node, 2)));
      case NodeKind::cond:
        return run_cond(node);
      default:
        refuse(node);
    }
  }

  // device, type, enabled, cache, graph, operands.
  void run_autocast(const exported::Node& node) {
    const std::uint32_t graph = graph_at(node, 4);
    std::vector<IValue> inputs = operands(node, 5);
    const c10::DeviceType device = runner_.device_.type();
    if (!plain(node.inputs[2].value).toBool()) {
      const NoAutocast off(device);
      return put_part(node, run_graph(graph, std::move(inputs)));
    }
    AutocastState state;
    state.device = device;
    const IValue type = plain(node.inputs[1].value);
    state.type = type.isInt() ? static_cast<at::ScalarType>(type.toInt()) : at::kBFloat16;
    const AutocastScope scope(state);
    put_part(node, run_graph(graph, std::move(inputs)));
  }

  // graph, operands; what the checkpoint was asked with has names. Parameters are the body's own,
  // as in Python; it keeps no other tensor. Without a gradient to give there is nothing to
  // checkpoint.
  void run_checkpoint(const exported::Node& node) {
    const std::uint32_t graph = graph_at(node, 0);
    if (runner_.model_->program().graphs[graph].outputs.size() != 1) refuse(node);
    std::vector<IValue> all;
    std::vector<std::size_t> places;
    std::vector<at::Tensor> tensors;
    bool trains = false;
    for (std::size_t i = 1; i < node.inputs.size() && node.inputs[i].name.empty(); ++i) {
      all.push_back(plain(node.inputs[i].value));
      if (!all.back().isTensor()) continue;
      const at::Tensor& tensor = all.back().toTensor();
      if (tensor.requires_grad() && tensor.is_leaf()) continue;
      trains = trains || tensor.requires_grad();
      places.push_back(all.size() - 1);
      tensors.push_back(tensor);
    }
    if (!trains) return put_part(node, run_graph(graph, std::move(all)));
    for (const std::size_t place : places) all[place] = IValue();
    const GraphRunner runner = runner_;
    const auto body = [runner, graph, all, places](const std::vector<at::Tensor>& given) {
      std::vector<IValue> inputs = all;
      for (std::size_t i = 0; i < places.size(); ++i) inputs[places[i]] = given[i];
      GraphFrame frame(runner, graph);
      frame.set_inputs(std::move(inputs));
      frame.run();
      return frame.outputs().front().toTensor();
    };
    put_part(node, {checkpoint(body, tensors)});
  }

  // predicate, then, else, operands. A tensor without data has no truth value.
  void run_cond(const exported::Node& node) {
    const IValue predicate = plain(node.inputs.at(0).value);
    if (predicate.isTensor() && predicate.toTensor().is_meta()) refuse(node);
    const bool truth =
        predicate.isTensor() ? predicate.toTensor().item<bool>() : predicate.toBool();
    std::vector<IValue> inputs;
    if (node.inputs.size() > 3) {
      const IValue list = plain(node.inputs[3].value);
      if (list.isTensorList()) {
        for (const at::Tensor& tensor : list.toTensorVector()) inputs.emplace_back(tensor);
      } else {
        inputs = operands(node, 3);
      }
    }
    put_part(node, run_graph(graph_at(node, truth ? 1 : 2), std::move(inputs)));
  }

  const GraphRunner& runner_;
  const exported::Program& program_;
  const exported::Graph& graph_;
  const std::vector<PlannedNode>& nodes_;
  std::vector<IValue> values_;
};

GraphRunner::GraphRunner(std::shared_ptr<const exported::ModelFile> model, c10::Device device,
                         spec::AttentionBackend attention)
    : model_(std::move(model)), plan_(plan_of(model_)), device_(device), attention_(attention) {}

std::vector<at::Tensor> GraphRunner::run(std::vector<IValue> inputs) const {
  GraphFrame frame(*this, 0);
  frame.set_inputs(std::move(inputs));
  frame.run();
  std::vector<at::Tensor> results;
  const exported::Program& program = model_->program();
  for (const exported::Slot slot : program.outputs) {
    results.push_back(frame.value(slot).isTensor() ? frame.value(slot).toTensor() : at::Tensor());
  }
  for (const exported::Mutation& mutation : program.mutations) {
    results.push_back(frame.value(mutation.value).toTensor());
  }
  return results;
}

}  // namespace ts::kernels
