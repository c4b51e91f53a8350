#pragma once

#include "kernels/observe/name_cache.h"

namespace ts::kernels {

// Nodes of custom autograd functions run no operator of their own in the forward, so a recording
// cannot see them. Call this right before such a function is applied: the node made next belongs to
// the open module, and attention of this kind ran. Does nothing without a recording.
void note_custom_node(AttentionKernel kernel = AttentionKernel::none);

// While it lives, the running code is a forward inside a backward: activation checkpointing runs a
// part again. Its operators make nodes, and belong to the modules they open; its memory records say
// that a graph is kept. Any thread.
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
