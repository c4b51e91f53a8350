#include "core/report/module_report.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>

namespace ts::report {

namespace {

using stats::ModuleNode;
using stats::ModuleTree;

// Values per step.
struct PerStep {
  explicit PerStep(const ModuleTree& tree)
      : steps(static_cast<double>(std::max<std::int64_t>(tree.steps, 1))) {}
  [[nodiscard]] double ms(std::int64_t ns) const { return static_cast<double>(ns) * 1e-6 / steps; }
  double steps;
};

double share_of(const ModuleTree& tree, const ModuleNode& node) {
  const auto whole = static_cast<double>(std::max<std::int64_t>(tree.nodes[0].total_ns(), 1));
  return static_cast<double>(node.total_ns()) / whole;
}

std::string path_of(const ModuleTree& tree, std::uint32_t node) {
  std::string path;
  for (; node != 0; node = tree.nodes[node].parent) {
    if (!path.empty()) path.insert(0, 1, '.');
    path.insert(0, tree.nodes[node].name);
  }
  return path;
}

}  // namespace

std::int64_t parameters_in(std::int64_t bytes, spec::DataType dtype) {
  const bool wide = dtype == spec::DataType::fp32 || dtype == spec::DataType::tf32;
  return bytes / (wide ? 4 : 2);
}

io::TextTable module_text(const ModuleTree& tree, spec::DataType dtype) {
  io::TextTable text;
  text.columns = {"module",      "calls", "total ms",   "share %",   "forward ms",
                  "backward ms", "GFLOP", "parameters", "kept bytes"};
  text.right = {false, true, true, true, true, true, true, true, true};
  const PerStep per_step(tree);
  const auto add = [&](std::uint32_t i) {
    const ModuleNode& node = tree.nodes[i];
    std::string name = i == 0 ? "all" : node.name;
    // Depth as in a listing, by dots: Markdown would drop spaces.
    for (std::uint32_t d = 1; d < node.depth; ++d) name.insert(0, "\xc2\xb7 ");
    text.rows.push_back({std::move(name),
                         fmt::format("{:.0f}", static_cast<double>(node.calls) / per_step.steps),
                         fmt::format("{:.4f}", per_step.ms(node.total_ns())),
                         fmt::format("{:.2f}", share_of(tree, node) * 100),
                         fmt::format("{:.4f}", per_step.ms(node.forward_ns)),
                         fmt::format("{:.4f}", per_step.ms(node.backward_ns)),
                         fmt::format("{:.4f}", node.flops / per_step.steps * 1e-9),
                         std::to_string(parameters_in(node.parameter_bytes, dtype)),
                         std::to_string(node.kept_bytes)});
  };
  visit_modules(tree, 0, add, [](std::uint32_t) { return true; });
  return text;
}

nlohmann::json modules_json(const ModuleTree& tree, spec::DataType dtype) {
  auto rows = nlohmann::json::array();
  const PerStep per_step(tree);
  const auto add = [&](std::uint32_t i) {
    const ModuleNode& node = tree.nodes[i];
    rows.push_back({{"path", path_of(tree, i)},
                    {"name", node.name},
                    {"operator", node.is_operator},
                    {"depth", node.depth},
                    {"calls", static_cast<double>(node.calls) / per_step.steps},
                    {"total_ms", per_step.ms(node.total_ns())},
                    {"forward_ms", per_step.ms(node.forward_ns)},
                    {"backward_ms", per_step.ms(node.backward_ns)},
                    {"share", share_of(tree, node)},
                    {"flops", node.flops / per_step.steps},
                    {"parameters", parameters_in(node.parameter_bytes, dtype)},
                    {"kept_bytes", node.kept_bytes}});
  };
  visit_modules(tree, 0, add, [](std::uint32_t) { return true; });
  return rows;
}

}  // namespace ts::report
