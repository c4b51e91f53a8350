#pragma once

#include <nlohmann/json_fwd.hpp>

#include "core/io/text_table.h"
#include "core/run/run.h"
#include "core/stats/module_tree.h"

namespace ts::report {

// The module tree of a run for files, the root's row first, children below their parent, most time
// first. Times in milliseconds and FLOPs of one step, sizes in bytes.
io::TextTable module_text(const stats::ModuleTree& tree, spec::DataType dtype);

// [{path, name, operator, depth, calls, total_ms, forward_ms, backward_ms, share, flops,
//   parameters, kept_bytes}, ...] in the same order.
nlohmann::json modules_json(const stats::ModuleTree& tree, spec::DataType dtype);

// The count of numbers in that many bytes of parameters.
std::int64_t parameters_in(std::int64_t bytes, spec::DataType dtype);

// Visits the nodes in the order of the rows. `open` returns whether to visit the children of a
// node.
template <class Visit, class Open>
void visit_modules(const stats::ModuleTree& tree, std::uint32_t node, const Visit& visit,
                   const Open& open) {
  visit(node);
  if (!open(node)) return;
  for (const std::uint32_t child : tree.nodes[node].children) {
    visit_modules(tree, child, visit, open);
  }
}

}  // namespace ts::report
