#include "core/stats/module_tree.h"

#include <algorithm>
#include <map>
#include <string_view>
#include <tuple>
#include <utility>

#include "core/stats/operator_calls.h"
#include "core/stats/operator_flops.h"

namespace ts::stats {

namespace {

class ModuleTreeBuilder {
 public:
  explicit ModuleTreeBuilder(const base::StringTable& strings) : strings_(strings) {
    tree_.nodes.emplace_back();
  }

  void add(const std::vector<OperatorCall>& calls) {
    // FLOPs are computed once per operator and shape, not per call.
    std::map<std::pair<base::StringId, base::StringId>, double> flops;
    for (const OperatorCall& call : calls) {
      ModuleNode& node = tree_.nodes[leaf(call.slice.module, call.slice.name)];
      if (!call.again) ++node.calls;
      if (call.phase == base::Phase::forward || call.phase == base::Phase::loss) {
        node.forward_ns += call.self_ns;
      } else if (call.phase == base::Phase::backward) {
        node.backward_ns += call.self_ns;
      } else {
        node.other_ns += call.self_ns;
      }
      const auto [found, fresh] = flops.try_emplace({call.slice.name, call.slice.detail}, 0);
      if (fresh) {
        found->second =
            operator_flops(strings_.view(call.slice.name), strings_.view(call.slice.detail));
      }
      if (!call.again) node.flops += found->second;
    }
  }

  void add(const memory::AllocationLog& log) {
    std::int32_t last = -1;
    for (const memory::Block& block : log.blocks()) {
      if (block.category == memory::Category::activation) last = std::max(last, block.step);
    }
    // Activations that only the loss reads, such as the logits, are freed before a backward begins.
    std::vector<memory::EventIndex> backwards;
    for (const memory::PhaseSpan& span : log.phases()) {
      if (span.phase == base::Phase::backward && span.step == last)
        backwards.push_back(span.first_event);
    }
    const auto is_kept = [&](const memory::Block& block) {
      if (block.category != memory::Category::activation || block.step != last) return false;
      return backwards.empty() || std::ranges::any_of(backwards, [&](memory::EventIndex begin) {
               return block.alloc_event < begin &&
                      (block.free_event == memory::kNone || block.free_event >= begin);
             });
    };
    for (const memory::Block& block : log.blocks()) {
      if (block.category == memory::Category::parameter) {
        std::string_view path = strings_.view(block.module);
        // "blocks.0.norm1.weight" belongs to "blocks.0.norm1".
        const auto dot = path.rfind('.');
        path = dot == path.npos ? std::string_view() : path.substr(0, dot);
        tree_.nodes[module(path)].parameter_bytes += block.size;
      } else if (is_kept(block)) {
        tree_.nodes[leaf(block.module, block.op)].kept_bytes += block.size;
      }
    }
  }

  ModuleTree finish() {
    // Parents come before children: in reverse order every node is complete before it is added.
    for (std::size_t i = tree_.nodes.size() - 1; i > 0; --i) {
      const ModuleNode& node = tree_.nodes[i];
      ModuleNode& parent = tree_.nodes[node.parent];
      parent.calls += node.calls;
      parent.forward_ns += node.forward_ns;
      parent.backward_ns += node.backward_ns;
      parent.other_ns += node.other_ns;
      parent.flops += node.flops;
      parent.parameter_bytes += node.parameter_bytes;
      parent.kept_bytes += node.kept_bytes;
    }
    for (ModuleNode& node : tree_.nodes) {
      std::ranges::stable_sort(node.children, std::ranges::greater(),
                               [&](std::uint32_t i) { return tree_.nodes[i].total_ns(); });
    }
    return std::move(tree_);
  }

 private:
  std::uint32_t child(std::uint32_t parent, std::string_view name, bool is_operator) {
    const auto key = std::tuple(parent, std::string(name), is_operator);
    if (const auto found = index_.find(key); found != index_.end()) return found->second;
    const auto index = static_cast<std::uint32_t>(tree_.nodes.size());
    ModuleNode node;
    node.name = name;
    node.is_operator = is_operator;
    node.parent = parent;
    node.depth = tree_.nodes[parent].depth + 1;
    tree_.nodes.push_back(std::move(node));
    tree_.nodes[parent].children.push_back(index);
    index_.emplace(key, index);
    return index;
  }

  std::uint32_t module(std::string_view path) {
    std::uint32_t at = 0;
    while (!path.empty()) {
      const std::size_t dot = path.find('.');
      at = child(at, path.substr(0, dot), false);
      path = dot == path.npos ? std::string_view() : path.substr(dot + 1);
    }
    return at;
  }

  std::uint32_t leaf(base::StringId path, base::StringId name) {
    const auto key = std::pair(path, name);
    if (const auto found = leaves_.find(key); found != leaves_.end()) return found->second;
    const std::uint32_t index = child(module(strings_.view(path)), strings_.view(name), true);
    leaves_.emplace(key, index);
    return index;
  }

  const base::StringTable& strings_;
  ModuleTree tree_;
  std::map<std::tuple<std::uint32_t, std::string, bool>, std::uint32_t> index_;
  std::map<std::pair<base::StringId, base::StringId>, std::uint32_t> leaves_;
};

}  // namespace

ModuleTree module_tree(const trace::TraceStore& trace, const memory::AllocationLog& memory,
                       const base::StringTable& strings) {
  ModuleTreeBuilder builder(strings);
  builder.add(operator_calls(trace));
  builder.add(memory);
  ModuleTree tree = builder.finish();
  tree.steps = step_count(trace);
  return tree;
}

}  // namespace ts::stats
