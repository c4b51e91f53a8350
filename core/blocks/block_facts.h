#pragma once

#include <cstdint>
#include <optional>

#include "core/blocks/block_source.h"

namespace ts::blocks {

// The facts of a snapshot about one block. Sizes in bytes; unset or kNoString: not in the file.
struct BlockFacts {
  std::uint64_t address = 0;
  std::int64_t requested = 0;
  std::int64_t rounded = 0;            // as the allocator hands it out
  bool rounded_by_rule = false;        // by the recorded settings; else from the final segments
  std::int64_t total_after = 0;        // allocated right after it, requested sizes
  std::optional<std::uint32_t> entry;  // number in the trace
  std::optional<std::int64_t> stream;
  std::optional<allocator::PoolId> private_pool;
  bool small_pool = false;
  bool only_freed = false;  // allocated before the recording; `stack` is that of its free
  allocator::StackIndex stack = memory::kNone;
  allocator::StackIndex forward_frames = memory::kNone;
  base::StringId compile_context = base::kNoString;  // without PyTorch's "N/A"
  base::StringId user_metadata = base::kNoString;
};

// O(segments) for a block of the trace.
BlockFacts facts_of(const BlockSource& source, memory::BlockIndex block);

}  // namespace ts::blocks
