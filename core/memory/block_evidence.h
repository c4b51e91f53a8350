#pragma once

#include <cstdint>

#include "core/memory/block.h"

namespace ts::memory {

// Evidence in the stack of an allocation for the part of a step that it belongs to.
struct BlockEvidence {
  base::Phase phase = base::Phase::idle;  // idle: nothing
  bool python = false;                    // a line of Python is on the stack
  bool earlier = false;                   // allocated before the recording
  bool in_module = false;                 // a call of a module of torch.nn is on the stack
  bool makes_module = false;              // a line that makes, loads or moves a module is on it
  bool workspace = false;                 // cuBLAS asked for it
  std::uint32_t stack = kNone;            // two blocks with one number have the same stack
};

// Whether cuBLAS keeps the block for itself: by the stack, else by a size that nothing else has.
bool is_workspace(const Block& block, const BlockEvidence& evidence);

}  // namespace ts::memory
