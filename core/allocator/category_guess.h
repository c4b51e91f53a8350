#pragma once

#include <vector>

#include "core/memory/allocation_log.h"
#include "core/memory/block_evidence.h"

namespace ts::allocator {

using memory::BlockEvidence;
using memory::EvidenceList;

// Categories of blocks and phases of steps, guessed where a recording does not tell them.
struct CategoryGuess {
  std::vector<memory::Category> categories;  // by block; unknown where no rule applies
  std::vector<memory::PhaseSpan> phases;     // in order; empty where no backward was found
};

// Phases: a backward is where autograd's engine is on the stacks, or where stacks lack the lines of
// Python that the others have (autograd's threads have none); an optimizer's step is where its file
// is on the stack, and where the log has its phase, in which nothing has to be allocated. If all
// stacks have lines of Python and none is an optimizer's, there is no backward. Without such stacks
// a backward begins where most was held by blocks that are freed again in the recording, and ends
// where almost all of it is free.
//
// Categories, by the phase of the allocation:
//   forward: an activation if it lives when a backward begins (or when the recording ends before
//     one), a temporary otherwise
//     an input if a line of Python allocated it before the first module of the forward ran, and it
//     lives when that begins
//   backward: a gradient if it outlives the backward, a temporary otherwise
//   optimizer: optimizer state if it outlives the step of the optimizer, a temporary otherwise
//   earlier, or before a forward and alive through two backwards or from the first one to the end:
//     a parameter, or optimizer state by the counts of core/memory/state_guess.h. But an activation
//     if it was allocated in a call of a module, or by a line of Python after the first of them,
//     and a parameter or an input if by one before it that does not make a module.
//   a workspace of cuBLAS: a temporary
// Without a backward nothing is guessed, unless all stacks have lines of Python: then those of
// core/memory/forward_guess.h, which has those for a recording without any allocation, too.
// `evidence` has an entry for each block. O(blocks x log(phases) + events).
CategoryGuess guess_categories(const memory::AllocationLog& log, const EvidenceList& evidence);

}  // namespace ts::allocator
