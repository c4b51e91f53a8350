#include "kernels/exported/plan.h"

#include <algorithm>
#include <array>
#include <list>
#include <mutex>
#include <set>
#include <string_view>

#include "core/text/message.h"
#include "kernels/exported/number_operators.h"
#include "kernels/exported/safe_operators.h"
#include "kernels/observe/failure.h"

namespace ts::kernels {
namespace {

constexpr std::string_view kOperators = "torch.ops.";
constexpr std::string_view kHigherOrder = "torch.ops.higher_order.";

std::optional<NodeKind> kind_of_higher_order(std::string_view name) {
  if (name == "wrap_with_set_grad_enabled") return NodeKind::set_grad;
  if (name == "wrap_with_autocast") return NodeKind::autocast;
  if (name == "tag_activation_checkpoint") return NodeKind::checkpoint;
  if (name == "invoke_subgraph") return NodeKind::subgraph;
  if (name == "cond") return NodeKind::cond;
  return std::nullopt;
}

// Checks that the export wrote down; the example has passed them.
bool is_check(std::string_view target) {
  constexpr std::array kChecks = {"_assert", "sym_constrain_range"};
  return std::any_of(kChecks.begin(), kChecks.end(), [target](std::string_view name) {
    return target.find(name) != std::string_view::npos;
  });
}

// For "torch.ops.aten.add.Tensor".
std::optional<c10::OperatorHandle> find_operator(std::string_view target) {
  if (!target.starts_with(kOperators)) return std::nullopt;
  target.remove_prefix(kOperators.size());
  const std::size_t space = target.find('.');
  if (space == std::string_view::npos) return std::nullopt;
  const std::size_t overload = target.find('.', space + 1);
  const std::string name = std::string(target.substr(0, space)) +
                           "::" + std::string(target.substr(space + 1, overload - space - 1));
  std::string form(overload == std::string_view::npos ? "" : target.substr(overload + 1));
  if (form == "default") form.clear();
  return c10::Dispatcher::singleton().findSchema({name, form});
}

std::optional<PlannedNode> planned(const exported::Node& node) {
  PlannedNode made;
  const std::string_view target = node.target;
  if (is_check(target)) return made;
  if (is_number_operator(target)) {
    made.kind = NodeKind::number;
    return made;
  }
  if (target.starts_with(kHigherOrder)) {
    const auto kind = kind_of_higher_order(target.substr(kHigherOrder.size()));
    if (!kind) return std::nullopt;
    made.kind = *kind;
    return made;
  }
  made.kind = NodeKind::operator_call;
  made.op = find_operator(target);
  if (!made.op || !may_call(made.op->schema().name())) return std::nullopt;
  for (const c10::Argument& argument : made.op->schema().arguments()) {
    const auto found =
        std::ranges::find(node.inputs, argument.name(), &exported::NamedArgument::name);
    made.arguments.push_back(
        found == node.inputs.end() ? -1 : static_cast<int>(found - node.inputs.begin()));
  }
  return made;
}

using Names = std::set<std::string>;

std::string as_text(const Names& all) {
  std::string words;
  for (const std::string& name : all) words += (words.empty() ? "" : ", ") + name;
  return words;
}

std::shared_ptr<const Plan> make_plan(const exported::Program& program) {
  auto plan = std::make_shared<Plan>();
  Names missing;
  Names unsafe;
  for (const exported::Graph& graph : program.graphs) {
    std::vector<PlannedNode>& nodes = plan->graphs.emplace_back();
    for (const exported::Node& node : graph.nodes) {
      auto made = planned(node);
      if (!made) (find_operator(node.target) ? unsafe : missing).insert(node.target);
      nodes.push_back(made ? std::move(*made) : PlannedNode());
    }
  }
  if (!unsafe.empty())
    throw BadInput(text::message("model_error.unsafe_operators", {{"names", as_text(unsafe)}}));
  if (!missing.empty())
    throw BadInput(text::message("model_error.operators", {{"names", as_text(missing)}}));
  for (const exported::Module& module : program.modules) plan->module_paths.push_back(module.path);
  for (const exported::Place& place : program.places) {
    std::string path = place.modules.empty() ? "" : program.modules[place.modules.back()].path;
    if (path.empty()) path = program.class_name.empty() ? "model" : program.class_name;
    plan->places.push_back(place.source.empty() ? path : path + " @ " + place.source);
  }
  return plan;
}

}  // namespace

std::shared_ptr<const Plan> plan_of(const std::shared_ptr<const exported::ModelFile>& model) {
  struct Known {
    std::weak_ptr<const exported::ModelFile> model;
    std::shared_ptr<const Plan> plan;
  };
  static std::mutex mutex;
  static std::list<Known> plans;
  const std::lock_guard lock(mutex);
  plans.remove_if([](const Known& known) { return known.model.expired(); });
  for (const Known& known : plans) {
    if (known.model.lock() == model) return known.plan;
  }
  plans.push_front({model, make_plan(model->program())});
  return plans.front().plan;
}

}  // namespace ts::kernels
