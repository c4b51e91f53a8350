#pragma once

#include <span>
#include <vector>

#include "core/memory/allocation_log.h"
#include "core/memory/block_evidence.h"

namespace ts::memory {

// Blocks whose category the numbers of gradients and of optimizer state of their size decide.
struct KeptBlocks {
  std::vector<BlockIndex> persistent;  // live through the backwards: parameters or optimizer state
  std::vector<BlockIndex> loose;       // so, too, but a line of Python outside of modules made them
  std::vector<BlockIndex> replaced;    // from before the recording, freed in an optimizer's step
  bool optimizer = false;              // a step of one is on a stack or in an annotation
};

// Decides them, in `categories` by block, which has those of all other blocks:
//   persistent: optimizer state beyond so many of one size as there are gradients of it, up to two
//     for each of them, or three for each gradient of half the size; all else are parameters.
//     State has no line of Python on its stack, or lived before the recording. None is state where
//     it was seen to be allocated; where no step of an optimizer was seen, only if nearly all
//     gradients have so many blocks beside their parameter.
//   loose: parameters, as many as there are gradients without another parameter; else inputs
//   replaced: optimizer state, as many of one size as an optimizer allocated anew; else unknown
// O(blocks + events).
void part_kept(const AllocationLog& log, const EvidenceList& evidence, const KeptBlocks& kept,
               std::span<Category> categories);

}  // namespace ts::memory
