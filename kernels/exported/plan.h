#pragma once

#include <ATen/core/dispatch/Dispatcher.h>

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/exported/model_file.h"

namespace ts::kernels {

// How a node is run.
enum class NodeKind : std::uint8_t {
  operator_call,  // boxed, through the dispatcher
  number,         // arithmetic on sizes
  nothing,        // a check of the export
  set_grad,       // parts with a sub-graph
  autocast,
  checkpoint,
  subgraph,
  cond,
};

struct PlannedNode {
  NodeKind kind = NodeKind::nothing;
  std::optional<c10::OperatorHandle> op;
  std::vector<int> arguments;  // of each of the schema's the input of the node, -1: its default
};

// The operators of every graph of a model, looked up once, and names of its places.
struct Plan {
  std::vector<std::vector<PlannedNode>> graphs;
  std::vector<std::string> places;        // "layers.0.attn @ model.py:61"
  std::vector<std::string> module_paths;  // by module; empty for the outermost
};

// The plan of a model, kept with it. Throws BadInput that names operators which LibTorch lacks. Any
// thread.
std::shared_ptr<const Plan> plan_of(const std::shared_ptr<const exported::ModelFile>& model);

}  // namespace ts::kernels
