#pragma once

#include "kernels/observe/name_cache.h"

namespace ts::kernels {

// Nodes of our own autograd functions run no operator of their own in the forward, from which a
// recording would learn about them. Call this right before such a function is applied: the node
// made next belongs to the open module, and attention of this kind ran. Nothing when nothing is
// recorded.
void note_custom_node(AttentionKernel kernel = AttentionKernel::none);

// What runs while it lives is a forward inside a backward: activation checkpointing runs a part
// again. Its operators make nodes, and belong to the modules they open; its memory records say that
// a graph is kept. Any thread.
class RecomputeScope {
 public:
  RecomputeScope();
  ~RecomputeScope();
  RecomputeScope(const RecomputeScope&) = delete;
  RecomputeScope& operator=(const RecomputeScope&) = delete;

 private:
  bool outer_backward_ = false;
};

}  // namespace ts::kernels
