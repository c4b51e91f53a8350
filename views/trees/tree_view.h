#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "core/advice/tree.h"
#include "views/common/ui.h"
#include "views/trees/tree_layout.h"

namespace ts::views {

// The decision trees: a list to choose one, and its boxes with the evidence at every visited one,
// the way that was taken, and what to change at its end. UI thread.
class TreeView {
 public:
  struct Actions {
    // Settings of a conclusion, "T=2048": empty where they can be tried, else why not.
    std::function<std::string(const std::vector<std::string>& settings)> why_not_try;
    std::function<void(const std::vector<std::string>& settings)> try_it;
  };

  // `trees` must be the same in every frame. `about`: what the evidence is of, one line.
  void draw(const Ui& ui, std::span<const advice::Tree> trees, const advice::Evidence& evidence,
            const std::string& about, const Actions& actions);
  // Chooses a tree by its place in the list.
  void choose(std::size_t tree) { shown_ = tree; }
  [[nodiscard]] std::size_t shown() const { return shown_; }

 private:
  void draw_head(const Ui& ui, std::span<const advice::Tree> trees, const std::string& about);
  void draw_tree(const Ui& ui, const advice::Walk& walk, const Actions& actions);
  void follow_end(const advice::Walk& walk, float top, float bottom);

  std::size_t shown_ = 0;
  std::optional<std::size_t> laid_out_;  // the tree of `layout_`
  TreeLayout layout_;
  std::optional<std::pair<std::size_t, std::size_t>> followed_;  // tree and the last visited node
};

}  // namespace ts::views
