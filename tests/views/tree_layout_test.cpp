// The places of a decision tree's boxes.
#include "views/trees/tree_layout.h"

#include <gtest/gtest.h>

#include <set>

#include "assets/assets.h"

namespace ts::views {
namespace {

TEST(TreeLayout, NoTwoBoxesShareAPlace) {
  const auto trees = advice::read_trees(assets::trees());
  ASSERT_TRUE(trees) << trees.error().sentence;
  for (const advice::Tree& tree : *trees) {
    const TreeLayout layout = tree_layout(tree);
    std::set<std::pair<std::size_t, std::size_t>> taken;
    for (std::size_t i = 0; i < layout.places.size(); ++i) {
      const TreePlace& place = layout.places[i];
      EXPECT_TRUE(taken.insert({place.column, place.row}).second)
          << tree.id << " " << tree.nodes[i].id;
      EXPECT_LT(place.column, layout.columns);
      EXPECT_LT(place.row, layout.rows);
      if (i == 0) continue;
      const TreePlace& parent = layout.places[place.parent];
      // Below in its column, or at the right and never higher.
      const bool below = place.column == parent.column && place.row > parent.row;
      const bool beside = place.column == parent.column + 1 && place.row >= parent.row;
      EXPECT_TRUE(below || beside) << tree.id << " " << tree.nodes[i].id;
    }
    EXPECT_LE(layout.columns, 4U) << tree.id;
  }
}

TEST(TreeLayout, ALongWayGoesDown) {
  const auto trees =
      advice::read_trees(R"({"trees": [{"id": "t", "title": "t", "about": "a", "nodes": [
    {"id": "q", "text": "?", "evidence": [{"number": "run.median_ms"}],
     "branches": [{"below": 1, "to": "e"}, {"to": "r"}]},
    {"id": "e", "kind": "end", "text": "x"},
    {"id": "r", "text": "?", "evidence": [{"number": "run.median_ms"}],
     "branches": [{"below": 1, "to": "f"}, {"to": "g"}]},
    {"id": "f", "kind": "end", "text": "x"},
    {"id": "g", "kind": "end", "text": "x"}]}]})");
  ASSERT_TRUE(trees) << trees.error().sentence;
  const TreeLayout layout = tree_layout(trees->front());
  const auto at = [&](std::size_t node) {
    return std::pair(layout.places[node].column, layout.places[node].row);
  };
  using Place = std::pair<std::size_t, std::size_t>;
  EXPECT_EQ(at(0), Place(0, 0));
  EXPECT_EQ(at(1), Place(1, 0));
  EXPECT_EQ(at(2), Place(0, 1));
  EXPECT_EQ(at(3), Place(1, 1));
  EXPECT_EQ(at(4), Place(1, 2));
  EXPECT_EQ(layout.places[2].branch, 1U);
}

}  // namespace
}  // namespace ts::views
