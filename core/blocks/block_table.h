#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "core/blocks/block_source.h"
#include "core/blocks/stack_parts.h"

namespace ts::blocks {

// The property by which blocks are put together.
enum class GroupBy : std::uint8_t { frame, op, size, stack, category };
inline constexpr std::array<std::string_view, 5> kGroupNames = {"frame", "operator", "size",
                                                                "stack", "category"};

// Which blocks count, and how much each of them.
enum class Weight : std::uint8_t {
  alive,      // its bytes, if it is alive right after the event
  allocated,  // its bytes, whenever it was allocated
  lifetime,   // its bytes times its lifetime in seconds
  events,     // its bytes times the events of its lifetime, for a log without a clock
};

struct BlockGroup {
  std::string name;   // empty: not known, such as blocks without a stack
  std::string brief;  // the same with the names of files alone
  std::int64_t count = 0;
  double weight = 0;                         // bytes, byte-seconds or byte-events
  std::int64_t largest = 0;                  // bytes
  memory::BlockIndex first = memory::kNone;  // the largest block, the older among equals
};

// Groups of blocks, the largest weight first, then by name. By frame a block belongs to its telling
// frame, by stack to the words of its stack (both stack_parts.h). `event` is for Weight::alive;
// kNone is the state before the first event. O(blocks), or O(live).
std::vector<BlockGroup> group_blocks(const BlockSource& source, GroupBy by, Weight weight,
                                     memory::EventIndex event);

// The blocks that count, each with its weight.
struct WeightedBlock {
  memory::BlockIndex block = memory::kNone;
  double weight = 0;
};
std::vector<WeightedBlock> weighted_blocks(const memory::AllocationLog& log, Weight weight,
                                           memory::EventIndex event);

// The name of a block's group, as in group_blocks(), or with the names of files alone.
std::string group_name(const BlockSource& source, GroupBy by, memory::BlockIndex block,
                       Paths paths = Paths::whole);

// The blocks of the group of this name, by index. As group_blocks().
std::vector<memory::BlockIndex> blocks_of_group(const BlockSource& source, GroupBy by,
                                                Weight weight, memory::EventIndex event,
                                                const std::string& name);

}  // namespace ts::blocks
