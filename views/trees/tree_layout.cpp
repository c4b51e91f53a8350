#include "views/trees/tree_layout.h"

#include <algorithm>

namespace ts::views {
namespace {

struct Child {
  std::size_t node = 0;
  std::optional<std::size_t> branch;
};

class Placer {
 public:
  Placer(const advice::Tree& tree, TreeLayout& layout) : tree_(tree), layout_(layout) {}

  // Returns the first row below the node and all that follows from it.
  std::size_t place(std::size_t node, std::size_t column, std::size_t row) {
    TreePlace& here = layout_.places[node];
    here.column = column;
    here.row = row;
    layout_.columns = std::max(layout_.columns, column + 1);
    std::vector<Child> children = children_of(node);
    const bool group = tree_.nodes[node].kind == advice::NodeKind::all;
    // The longest way, if it is one, is placed last, below.
    const auto longest = std::ranges::max_element(
        children, {}, [&](const Child& child) { return size_of(child.node); });
    std::optional<Child> below;
    if (!group && longest != children.end() && size_of(longest->node) > 1) {
      below = *longest;
      children.erase(longest);
    }
    std::size_t next = row;
    for (const Child& child : children) {
      lead(child, node);
      next = place(child.node, column + 1, next);
    }
    next = std::max(next, row + 1);
    if (!below) return next;
    lead(*below, node);
    return place(below->node, column, next);
  }

 private:
  [[nodiscard]] std::vector<Child> children_of(std::size_t node) const {
    const advice::Node& from = tree_.nodes[node];
    std::vector<Child> children;
    for (std::size_t i = 0; i < from.branches.size(); ++i) {
      if (const advice::Node* const to = tree_.node(from.branches[i].to))
        children.push_back({tree_.index(*to), i});
    }
    for (const std::string& child : from.children)
      children.push_back({tree_.index(*tree_.node(child)), std::nullopt});
    return children;
  }
  [[nodiscard]] std::size_t size_of(std::size_t node) const {
    std::size_t size = 1;
    for (const Child& child : children_of(node)) size += size_of(child.node);
    return size;
  }
  void lead(const Child& child, std::size_t from) {
    layout_.places[child.node].parent = from;
    layout_.places[child.node].branch = child.branch;
  }

  const advice::Tree& tree_;
  TreeLayout& layout_;
};

}  // namespace

TreeLayout tree_layout(const advice::Tree& tree) {
  TreeLayout layout;
  layout.places.resize(tree.nodes.size());
  layout.rows = Placer(tree, layout).place(0, 0, 0);
  return layout;
}

}  // namespace ts::views
