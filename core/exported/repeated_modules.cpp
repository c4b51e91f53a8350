#include "core/exported/repeated_modules.h"

#include <algorithm>
#include <utility>
#include <vector>

namespace ts::exported {
namespace {

constexpr std::int64_t kUnused = -2;

// One list of modules of a program, and whether and how it can be shortened.
class Shortener {
 public:
  Shortener(const Program& program, const Repetition& list)
      : program_(program), graph_(program.graphs.front()), list_(list), last_(list.count - 1) {}

  std::optional<Program> run() {
    auto nodes = nodes_of(program_, list_);
    if (!nodes) return std::nullopt;
    ranges_ = std::move(nodes->ranges);
    module_of_node_ = std::move(nodes->module_of_node);
    find_origins();
    for (std::int64_t i = 3; i < last_; ++i) {
      if (!same_module(2, i)) return std::nullopt;
    }
    if (!ends_with_last()) return std::nullopt;
    return built();
  }

 private:
  // Where a value comes from: an output of a node, counted from the begin of its module.
  struct Origin {
    std::int64_t module = kOutside;
    std::uint32_t node = 0, output = 0, element = 0;
  };
  [[nodiscard]] const NodeRange& range(std::int64_t module) const {
    return ranges_[static_cast<std::size_t>(module)];
  }

  void find_origins() {
    origins_.resize(graph_.metas.size());
    used_by_.assign(graph_.metas.size(), kUnused);
    for (std::size_t i = 0; i < graph_.nodes.size(); ++i) {
      const Node& node = graph_.nodes[i];
      const std::int64_t module = module_of_node_[i];
      for (const NamedArgument& input : node.inputs) {
        visit_slots(input.value, [&](Slot slot) {
          if (slot == kNone) return;
          std::int64_t& user = used_by_[slot];
          user = user == kUnused || user == module ? module : kOutside;
        });
      }
      if (module == kOutside) continue;
      const auto number = static_cast<std::uint32_t>(i - range(module).begin);
      for (std::uint32_t output = 0; output < node.outputs.size(); ++output) {
        const std::vector<Slot>& slots = node.outputs[output].slots;
        for (std::uint32_t element = 0; element < slots.size(); ++element) {
          origins_[slots[element]] = {module, number, output, element};
        }
      }
    }
    input_at_.assign(graph_.metas.size(), kNone);
    for (std::uint32_t i = 0; i < program_.inputs.size(); ++i) {
      if (program_.inputs[i].slot != kNone) input_at_[program_.inputs[i].slot] = i;
    }
  }

  [[nodiscard]] bool same_place(std::uint32_t a, std::uint32_t b) const {
    const Place &x = program_.places[a], &y = program_.places[b];
    if (x.source != y.source || x.modules.size() != y.modules.size()) return false;
    for (std::size_t i = 0; i < x.modules.size(); ++i) {
      const std::string &p = program_.modules[x.modules[i]].path,
                        &q = program_.modules[y.modules[i]].path;
      if (p != q && numbered(p, list_.prefix).rest != numbered(q, list_.prefix).rest) return false;
    }
    return true;
  }

  // Both are parameters, buffers or constants that only their module uses.
  [[nodiscard]] bool same_input(Slot a, Slot b, std::int64_t of_a, std::int64_t of_b) const {
    if (input_at_[a] == kNone || input_at_[b] == kNone) return false;
    if (used_by_[a] != of_a || used_by_[b] != of_b) return false;
    const Input &x = program_.inputs[input_at_[a]], &y = program_.inputs[input_at_[b]];
    if (x.kind != y.kind || x.kind == InputKind::user) return false;
    if (!(graph_.metas[a] == graph_.metas[b])) return false;
    const Numbered p = numbered(x.name, list_.prefix), q = numbered(y.name, list_.prefix);
    return p.number == of_a && q.number == of_b && p.rest == q.rest;
  }

  [[nodiscard]] bool same_slot(Slot a, Slot b, std::int64_t of_a, std::int64_t of_b) const {
    if (a == kNone || b == kNone) return a == b;
    const Origin &x = origins_[a], &y = origins_[b];
    if (x.module == kOutside || y.module == kOutside) {
      if (x.module != y.module) return false;
      return a == b || same_input(a, b, of_a, of_b);
    }
    return x.module - of_a == y.module - of_b && (x.module == of_a || x.module == of_a - 1) &&
           x.node == y.node && x.output == y.output && x.element == y.element;
  }

  [[nodiscard]] bool same_argument(const Argument& a, const Argument& b, std::int64_t of_a,
                                   std::int64_t of_b) const {
    if (const auto* const x = std::get_if<GraphArgument>(&a)) {
      const auto* const y = std::get_if<GraphArgument>(&b);
      return y != nullptr && same_graph(x->graph, y->graph);
    }
    std::vector<Slot> of_x, of_y;
    Argument x = a, y = b;
    const auto take = [](std::vector<Slot>& to) {
      return [&to](Slot& slot) {
        to.push_back(slot);
        slot = slot == kNone ? kNone : 0;
      };
    };
    visit_slots(x, take(of_x));
    visit_slots(y, take(of_y));
    return x == y && std::ranges::equal(
                         of_x, of_y, [&](Slot p, Slot q) { return same_slot(p, q, of_a, of_b); });
  }

  [[nodiscard]] bool same_module(std::int64_t a, std::int64_t b) const {
    const NodeRange &x = range(a), &y = range(b);
    if (x.end - x.begin != y.end - y.begin) return false;
    for (std::size_t k = 0; k < x.end - x.begin; ++k) {
      const Node &m = graph_.nodes[x.begin + k], &n = graph_.nodes[y.begin + k];
      const bool alike =
          m.target == n.target && same_place(m.place, n.place) &&
          std::ranges::equal(m.inputs, n.inputs,
                             [&](const NamedArgument& p, const NamedArgument& q) {
                               return p.name == q.name && same_argument(p.value, q.value, a, b);
                             }) &&
          std::ranges::equal(m.outputs, n.outputs,
                             [&](const Output& p, const Output& q) { return same_output(p, q); });
      if (!alike) return false;
    }
    return true;
  }

  [[nodiscard]] bool same_output(const Output& a, const Output& b) const {
    return a.list == b.list && std::ranges::equal(a.slots, b.slots, [&](Slot p, Slot q) {
             return graph_.metas[p] == graph_.metas[q];
           });
  }

  // Parts of nodes number their values by themselves.
  [[nodiscard]] bool same_graph(std::uint32_t a, std::uint32_t b) const {
    const Graph &x = program_.graphs[a], &y = program_.graphs[b];
    if (x.inputs != y.inputs || !(x.outputs == y.outputs) || !(x.metas == y.metas)) return false;
    return std::ranges::equal(x.nodes, y.nodes, [&](const Node& m, const Node& n) {
      return m.target == n.target && m.outputs == n.outputs && same_place(m.place, n.place) &&
             std::ranges::equal(m.inputs, n.inputs,
                                [&](const NamedArgument& p, const NamedArgument& q) {
                                  const auto* const i = std::get_if<GraphArgument>(&p.value);
                                  const auto* const j = std::get_if<GraphArgument>(&q.value);
                                  if (i != nullptr && j != nullptr) {
                                    return same_graph(i->graph, j->graph);
                                  }
                                  return p.name == q.name && p.value == q.value;
                                });
    });
  }

  // The last module uses only the one before it, and nothing after the list uses others.
  [[nodiscard]] bool ends_with_last() const {
    bool sound = true;
    const auto allow = [&](std::int64_t first) {
      return [&sound, this, first](Slot slot) {
        if (slot == kNone || origins_[slot].module == kOutside) return;
        sound = sound && origins_[slot].module >= first;
      };
    };
    for (std::size_t i = 0; i < graph_.nodes.size(); ++i) {
      const bool in_last = module_of_node_[i] == last_;
      if (!in_last && (module_of_node_[i] != kOutside || i < range(last_).begin)) continue;
      for (const NamedArgument& input : graph_.nodes[i].inputs) {
        visit_slots(input.value, allow(in_last ? last_ - 1 : last_));
      }
    }
    for (const Slot output : program_.outputs) allow(last_)(output);
    for (const Mutation& mutation : program_.mutations) {
      if (!dropped(program_.inputs[mutation.input])) allow(last_)(mutation.value);
    }
    return sound;
  }

  [[nodiscard]] bool dropped(std::int64_t module) const {
    return module >= kKeptModules - 1 && module < last_;
  }
  [[nodiscard]] bool dropped(const Input& input) const {
    if (input.slot == kNone || input.kind == InputKind::user) return false;
    return dropped(numbered(input.name, list_.prefix).number);
  }

  // A path of the last module with its new number.
  [[nodiscard]] std::string renamed(const std::string& path) const {
    const Numbered found = numbered(path, list_.prefix);
    if (found.number != last_) return path;
    return list_.prefix + std::to_string(kKeptModules - 1) + std::string(found.rest);
  }

  [[nodiscard]] Program built() const {
    Program made = program_;
    Graph& graph = made.graphs.front();
    graph.nodes.clear();
    for (std::size_t i = 0; i < graph_.nodes.size(); ++i) {
      const std::int64_t module = module_of_node_[i];
      if (dropped(module)) continue;
      Node& node = graph.nodes.emplace_back(graph_.nodes[i]);
      if (module != last_) continue;
      for (NamedArgument& input : node.inputs) {
        visit_slots(input.value, [this](Slot& slot) { slot = moved(slot); });
      }
    }
    std::erase_if(graph.inputs, [this](Slot slot) {
      return slot != kNone && input_at_[slot] != kNone && dropped(program_.inputs[input_at_[slot]]);
    });
    made.inputs.clear();
    std::vector<std::uint32_t> new_number;
    for (const Input& input : program_.inputs) {
      new_number.push_back(static_cast<std::uint32_t>(made.inputs.size()));
      if (dropped(input)) continue;
      made.inputs.push_back(input);
      made.inputs.back().name = renamed(input.name);
    }
    std::erase_if(made.mutations, [this](const Mutation& mutation) {
      return dropped(program_.inputs[mutation.input]);
    });
    for (Mutation& mutation : made.mutations) mutation.input = new_number[mutation.input];
    for (Module& module : made.modules) module.path = renamed(module.path);
    find_last_uses(made);
    return made;
  }

  // The last module takes from the third what it took from the one before it.
  [[nodiscard]] Slot moved(Slot slot) const {
    if (slot == kNone || origins_[slot].module != last_ - 1) return slot;
    const Origin& from = origins_[slot];
    return graph_.nodes[range(2).begin + from.node].outputs[from.output].slots[from.element];
  }

  const Program& program_;
  const Graph& graph_;
  const Repetition& list_;
  const std::int64_t last_;
  std::vector<NodeRange> ranges_;  // by module
  std::vector<std::int64_t> module_of_node_;
  std::vector<Origin> origins_;          // by slot
  std::vector<std::int64_t> used_by_;    // by slot: a module, kOutside for several, kUnused
  std::vector<std::uint32_t> input_at_;  // by slot, into Program::inputs
};

}  // namespace

std::optional<ShortProgram> shorten(const Program& program) {
  for (const Repetition& list : module_lists(program, kKeptModules + 2)) {
    if (auto made = Shortener(program, list).run()) return ShortProgram{std::move(*made), list};
  }
  return std::nullopt;
}

}  // namespace ts::exported
