#pragma once

#include <vector>

#include "core/memory/allocation_log.h"
#include "core/memory/block_evidence.h"

namespace ts::memory {

// Categories of the blocks of a recording in which nothing but forwards ran, by block. A pass
// begins where the stack of the first allocation in a module comes again, and ends with its last
// allocation in a module.
//   parameter: lives from before the recording to its end, or was allocated where a module is made,
//     loaded or moved and lives when a pass begins. Where each size is there three or four times as
//     often as a model needs it, gradients or optimizer state may be among the blocks from before
//     the recording, so these are unknown.
//   activation: allocated in a module and alive when its pass ends; a temporary otherwise
//   input: allocated by another line of Python and alive when a pass begins; a temporary if it is
//     freed before that
// Without an allocation in a module all are unknown. `evidence` has an entry for each block.
// O(blocks x log(passes)).
std::vector<Category> guess_of_forwards(const AllocationLog& log, const EvidenceList& evidence);

// Categories of the blocks of a recording in which nothing was allocated, such as one of a refusal
// alone, by block: the stack is all that is known of them.
//   parameter: allocated where a module is made, loaded or moved
//   optimizer state: allocated in an optimizer's step
//   gradient: allocated in a backward, or without a line of Python, as autograd's threads do; as
//     large as a parameter, and no more of a size than there are parameters of it
//   activation: allocated in a call of a module
// All others are unknown, and all that the recording frees. O(blocks).
std::vector<Category> guess_of_stacks(const AllocationLog& log, const EvidenceList& evidence);

}  // namespace ts::memory
