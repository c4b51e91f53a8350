#include "core/exported/program.h"

#include <algorithm>

namespace ts::exported {

std::int64_t element_bytes(ElementType type) {
  switch (type) {
    case ElementType::uint8:
    case ElementType::int8:
    case ElementType::boolean:
      return 1;
    case ElementType::int16:
    case ElementType::fp16:
    case ElementType::bf16:
      return 2;
    case ElementType::int32:
    case ElementType::fp32:
      return 4;
    case ElementType::int64:
    case ElementType::fp64:
      return 8;
    case ElementType::unknown:
      break;
  }
  return 0;
}

const Argument* argument_named(const Node& node, std::string_view name) {
  const auto found = std::ranges::find(node.inputs, name, &NamedArgument::name);
  return found == node.inputs.end() ? nullptr : &found->value;
}

Slot tensor_of(const Argument* argument) {
  const auto* const tensor = std::get_if<TensorArgument>(argument);
  return tensor != nullptr ? tensor->slot : kNone;
}

std::string_view aten_name(std::string_view target) {
  constexpr std::string_view kAten = "torch.ops.aten.";
  if (!target.starts_with(kAten)) return {};
  target.remove_prefix(kAten.size());
  return target.substr(0, target.find('.'));
}

std::int64_t Program::size_of(const Size& size, const std::vector<std::int64_t>& values) const {
  if (size.expression == kNone) return size.number;
  return expressions[size.expression].value(values).value_or(-1);
}

void find_last_uses(Program& program) {
  for (Graph& graph : program.graphs) {
    std::vector<bool> needed(graph.metas.size());
    const auto keep = [&needed](Slot slot) {
      if (slot != kNone) needed[slot] = true;
    };
    for (const Argument& output : graph.outputs) visit_slots(output, keep);
    if (&graph == &program.graphs.front()) {
      for (const Mutation& mutation : program.mutations) keep(mutation.value);
      for (const Slot output : program.outputs) keep(output);
    }
    for (auto node = graph.nodes.rbegin(); node != graph.nodes.rend(); ++node) {
      node->last_uses.clear();
      const auto note = [&](Slot slot) {
        if (slot == kNone || needed[slot]) return;
        needed[slot] = true;
        node->last_uses.push_back(slot);
      };
      for (const NamedArgument& input : node->inputs) visit_slots(input.value, note);
      for (const Output& output : node->outputs) {
        for (const Slot slot : output.slots) note(slot);
      }
    }
  }
}

}  // namespace ts::exported
