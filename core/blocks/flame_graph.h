#pragma once

#include <cstdint>
#include <vector>

#include "core/blocks/block_source.h"
#include "core/blocks/block_table.h"

namespace ts::blocks {

// A frame of the flame graph: all blocks whose stacks go through it from the root.
struct FlameNode {
  allocator::FrameIndex frame = memory::kNone;  // kNone: the root, or blocks without a stack
  std::uint32_t parent = memory::kNone;
  std::uint32_t depth = 0;  // the root has 0
  double begin = 0;         // left edge: weight of all that lies left of it
  double weight = 0;        // with all inside it
  std::int64_t count = 0;   // blocks
  memory::BlockIndex largest = memory::kNone;
};

// The frames of the flame graph: those that tell a stack from others (frames_of_program()), or all
// but those of the runtime.
enum class FlameFrames : std::uint8_t { telling, all };

// The stacks of blocks as a tree with the outermost frame at the root. Nodes in the order in which
// they are drawn: a parent before its children, of the children of one node the heaviest first.
// Node 0 is the root. O(blocks + frames).
std::vector<FlameNode> flame_graph(const BlockSource& source, Weight weight,
                                   memory::EventIndex event,
                                   FlameFrames shown = FlameFrames::telling);

}  // namespace ts::blocks
