#include "core/exported/checkpointed.h"

#include <algorithm>
#include <array>
#include <map>
#include <string_view>
#include <utility>
#include <vector>

#include "core/exported/module_lists.h"

namespace ts::exported {
namespace {

constexpr const char* kCheckpoint = "torch.ops.higher_order.tag_activation_checkpoint";
constexpr std::int64_t kLeast = 2;  // modules of a list

bool may_draw(const Node& node) {
  constexpr std::array<std::string_view, 6> kDraws = {"dropout", "rand",    "bernoulli",
                                                      "normal_", "uniform", "multinomial"};
  if (node.target.find("scaled_dot_product") != std::string::npos) {
    return std::ranges::any_of(node.inputs, [](const NamedArgument& input) {
      const auto* const share = std::get_if<double>(&input.value);
      return input.name == "dropout_p" && share != nullptr && *share > 0;
    });
  }
  return std::ranges::any_of(
      kDraws, [&](std::string_view part) { return node.target.find(part) != std::string::npos; });
}

// Makes parts of the nodes of modules.
class Wrapper {
 public:
  Wrapper(const Program& program, const Repetition& list)
      : program_(program), graph_(program.graphs.front()), list_(list) {}

  std::optional<Program> run() {
    const auto nodes = nodes_of(program_, list_);
    if (!nodes) return std::nullopt;
    find_uses();
    Program made = program_;
    std::vector<Node> all;
    std::size_t next = 0;
    for (const NodeRange& range : nodes->ranges) {
      for (; next < range.begin; ++next) all.push_back(graph_.nodes[next]);
      const Slot output = output_of(range);
      if (output == kNone || draws(range)) return std::nullopt;
      all.push_back(wrapped(made, range, output));
      next = range.end;
    }
    for (; next < graph_.nodes.size(); ++next) all.push_back(graph_.nodes[next]);
    made.graphs.front().nodes = std::move(all);
    find_last_uses(made);
    return made;
  }

 private:
  // For each value the last node that uses it; the end for what leaves the graph.
  void find_uses() {
    last_use_.assign(graph_.metas.size(), 0);
    for (std::size_t i = 0; i < graph_.nodes.size(); ++i) {
      for (const NamedArgument& input : graph_.nodes[i].inputs) {
        visit_slots(input.value, [&](Slot slot) {
          if (slot != kNone) last_use_[slot] = i;
        });
      }
    }
    const std::size_t end = graph_.nodes.size();
    for (const Slot slot : program_.outputs) last_use_[slot] = end;
    for (const Mutation& mutation : program_.mutations) last_use_[mutation.value] = end;
    for (const Argument& output : graph_.outputs) {
      visit_slots(output, [&](Slot slot) {
        if (slot != kNone) last_use_[slot] = end;
      });
    }
  }

  // The one value that is used behind the nodes; kNone where there are none or several.
  [[nodiscard]] Slot output_of(const NodeRange& range) const {
    Slot found = kNone;
    for (std::size_t i = range.begin; i < range.end; ++i) {
      for (const Output& output : graph_.nodes[i].outputs) {
        for (const Slot slot : output.slots) {
          if (last_use_[slot] < range.end) continue;
          if (found != kNone || output.list) return kNone;
          found = slot;
        }
      }
    }
    return found;
  }

  [[nodiscard]] bool draws(const NodeRange& range) const {
    return std::any_of(graph_.nodes.begin() + static_cast<std::ptrdiff_t>(range.begin),
                       graph_.nodes.begin() + static_cast<std::ptrdiff_t>(range.end), may_draw);
  }

  // The nodes of a range with values of their own; `taken` gets the values from outside, in order.
  [[nodiscard]] Graph part_of(Program& made, const NodeRange& range, Slot output,
                              std::vector<Slot>& taken) {
    Graph part;
    std::vector<Slot> inner(graph_.metas.size(), kNone);
    const auto add = [&](Slot slot) {
      part.metas.push_back(graph_.metas[slot]);
      return inner[slot] = static_cast<Slot>(part.metas.size() - 1);
    };
    const auto renamed = [&](Slot& slot) {
      if (slot == kNone) return;
      if (inner[slot] == kNone) {
        taken.push_back(slot);
        part.inputs.push_back(add(slot));
      }
      slot = inner[slot];
    };
    for (std::size_t i = range.begin; i < range.end; ++i) {
      Node& node = part.nodes.emplace_back(graph_.nodes[i]);
      node.place = place_inside(made, node.place);
      for (NamedArgument& input : node.inputs) visit_slots(input.value, renamed);
      for (Output& result : node.outputs) {
        for (Slot& slot : result.slots) slot = add(slot);
      }
    }
    part.outputs.emplace_back(TensorArgument{inner[output]});
    return part;
  }

  // Adds the part to the program. Its node stands where the list stands.
  [[nodiscard]] Node wrapped(Program& made, const NodeRange& range, Slot output) {
    std::vector<Slot> taken;
    const auto graph = static_cast<std::uint32_t>(made.graphs.size());
    Graph part = part_of(made, range, output, taken);
    made.graphs.push_back(std::move(part));
    Node node;
    node.target = kCheckpoint;
    node.inputs.push_back({"", GraphArgument{graph}});
    for (const Slot slot : taken) {
      const bool number = is_number(range, slot);
      node.inputs.push_back(
          {"", number ? Argument(NumberArgument{slot}) : Argument(TensorArgument{slot})});
    }
    node.outputs.push_back({{output}, false});
    node.place = place_around(made, graph_.nodes[range.begin].place);
    return node;
  }

  // Whether the nodes take the value as a number.
  [[nodiscard]] bool is_number(const NodeRange& range, Slot slot) const {
    for (std::size_t i = range.begin; i < range.end; ++i) {
      for (const NamedArgument& input : graph_.nodes[i].inputs) {
        const auto* const number = std::get_if<NumberArgument>(&input.value);
        if (number != nullptr && number->slot == slot) return true;
        const auto* const list = std::get_if<IntList>(&input.value);
        if (list == nullptr) continue;
        for (const IntOrSlot& item : list->items)
          if (item.slot == slot) return true;
      }
    }
    return false;
  }

  [[nodiscard]] std::vector<std::uint32_t>::const_iterator first_of_list(const Place& place) const {
    return std::ranges::find_if(place.modules, [&](std::uint32_t module) {
      return numbered(program_.modules[module].path, list_.prefix).number >= 0;
    });
  }

  static std::uint32_t added(Program& made, Place place) {
    made.places.push_back(std::move(place));
    return static_cast<std::uint32_t>(made.places.size() - 1);
  }

  // A place with the modules around the list.
  [[nodiscard]] std::uint32_t place_around(Program& made, std::uint32_t inside) const {
    Place place = program_.places[inside];
    place.modules.erase(first_of_list(place), place.modules.end());
    return added(made, std::move(place));
  }

  // The place without them: in a forward they are open around the part, in a backward nothing is.
  [[nodiscard]] std::uint32_t place_inside(Program& made, std::uint32_t whole) {
    const auto [found, fresh] = places_inside_.try_emplace(whole, kNone);
    if (!fresh) return found->second;
    Place place = program_.places[whole];
    place.modules.erase(place.modules.begin(), first_of_list(place));
    return found->second = added(made, std::move(place));
  }

  const Program& program_;
  const Graph& graph_;
  const Repetition& list_;
  std::vector<std::size_t> last_use_;                     // by slot
  std::map<std::uint32_t, std::uint32_t> places_inside_;  // by place
};

}  // namespace

std::optional<CheckpointedProgram> checkpointed(const Program& program) {
  for (const Repetition& list : module_lists(program, kLeast)) {
    if (auto made = Wrapper(program, list).run())
      return CheckpointedProgram{std::move(*made), list.prefix};
  }
  return std::nullopt;
}

}  // namespace ts::exported
