#pragma once

#include <cstdint>

#include "core/base/phase.h"

namespace ts::kernels {

// A phase of a step, recorded as a slice on the phases track (depth 1; set-up: 0) and as begin and
// end of memory records. Nothing when nothing is recorded. Worker thread; phases do not nest.
class PhaseScope {
 public:
  // graph_kept: autograd keeps a graph of what runs in it.
  explicit PhaseScope(base::Phase phase, bool graph_kept = false);
  ~PhaseScope();
  PhaseScope(const PhaseScope&) = delete;
  PhaseScope& operator=(const PhaseScope&) = delete;

 private:
  base::Phase phase_;
  std::int64_t begin_ns_ = 0;
  bool recorded_ = false;
};

// A whole step, a slice on the phases track at depth 0.
class StepScope {
 public:
  StepScope();
  ~StepScope();
  StepScope(const StepScope&) = delete;
  StepScope& operator=(const StepScope&) = delete;

 private:
  std::int64_t begin_ns_ = 0;
};

}  // namespace ts::kernels
