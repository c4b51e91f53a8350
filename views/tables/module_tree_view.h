#pragma once

#include <cstdint>

#include "core/run/run.h"
#include "core/stats/module_tree.h"
#include "views/common/ui.h"

namespace ts::views {

// The module tree as a table whose rows open and close, in the current Dear ImGui window. UI
// thread.
class ModuleTreeView {
 public:
  void update(const run::Run& run, const base::StringTable& strings);
  void draw(const Ui& ui, float height);
  [[nodiscard]] const stats::ModuleTree& tree() const { return tree_; }

 private:
  void draw_row(const Ui& ui, std::uint32_t index);

  stats::ModuleTree tree_;
  spec::DataType dtype_ = spec::DataType::fp32;
};

}  // namespace ts::views
