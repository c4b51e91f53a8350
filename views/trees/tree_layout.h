#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include "core/advice/tree.h"

namespace ts::views {

// The place of a node in a grid of boxes. Pure.
struct TreePlace {
  std::size_t column = 0;
  std::size_t row = 0;
  std::size_t parent = 0;             // node; of the root itself
  std::optional<std::size_t> branch;  // of the parent that leads here; none: a child of a group
};
struct TreeLayout {
  std::vector<TreePlace> places;  // by node
  std::size_t columns = 0;
  std::size_t rows = 0;
};
// The longest way stays in its column and goes down; what ends early, and the children of a group,
// stand at the right of the node that leads to them. No two nodes share a place.
TreeLayout tree_layout(const advice::Tree& tree);

}  // namespace ts::views
