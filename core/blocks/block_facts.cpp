#include "core/blocks/block_facts.h"

#include <algorithm>

namespace ts::blocks {
namespace {

using allocator::SnapshotBlock;
using allocator::SnapshotSegment;

// A segment of the end of the recording, and the block in it that begins at the address.
struct Place {
  const SnapshotSegment* segment = nullptr;
  const SnapshotBlock* block = nullptr;
};

Place place_of(const BlockSource& source, std::uint64_t address) {
  for (const SnapshotSegment& segment : source.snapshot.segments) {
    if (segment.device != static_cast<std::int64_t>(source.device)) continue;
    if (address < segment.address ||
        address - segment.address >=
            static_cast<std::uint64_t>(std::max<std::int64_t>(segment.total_size, 0)))
      continue;
    const auto found = std::ranges::find(segment.blocks, address, &SnapshotBlock::address);
    return {&segment, found == segment.blocks.end() ? nullptr : &*found};
  }
  return {};
}

}  // namespace

BlockFacts facts_of(const BlockSource& source, memory::BlockIndex index) {
  constexpr std::int64_t kSmall = std::int64_t{1} << 20;  // of PyTorch's small pool
  const allocator::Snapshot& snapshot = source.snapshot;
  const memory::Block& block = source.log.blocks()[index];
  BlockFacts facts;
  facts.address = block.address;
  facts.requested = block.size;
  facts.total_after = source.log.events()[block.alloc_event].total_after;
  facts.stack = source.stack_of(index);
  if (const auto stack = source.free_stack_of(index); stack != memory::kNone) {
    facts.only_freed = true;
    facts.stack = stack;
  }
  const bool stays = block.free_event == memory::kNone;
  const Place place = stays ? place_of(source, block.address) : Place{};
  if (place.block != nullptr) {
    facts.rounded = place.block->size;
  } else {
    const auto settings = allocator::recorded_settings(snapshot);
    const allocator::AllocatorSettings fallback;
    facts.rounded = (settings ? *settings : fallback).round_size(block.size);
    facts.rounded_by_rule = true;
  }
  facts.small_pool = facts.rounded <= kSmall;
  if (place.segment != nullptr) {
    facts.stream = place.segment->stream;
    facts.small_pool = place.segment->small_pool;
    if (place.segment->pool != allocator::PoolId{}) facts.private_pool = place.segment->pool;
  }
  const bool recorded = index < source.entries.size() && source.entries[index] != memory::kNone;
  if (!recorded) return facts;
  facts.entry = source.entries[index];
  const allocator::TraceEntry& entry = snapshot.device_traces[source.device][source.entries[index]];
  const allocator::EntryNotes& notes = snapshot.notes[entry.notes];
  facts.stream = notes.stream;
  if (notes.pool && *notes.pool != allocator::PoolId{}) facts.private_pool = notes.pool;
  facts.forward_frames = notes.forward_frames;
  if (snapshot.text(notes.compile_context) != "N/A") facts.compile_context = notes.compile_context;
  facts.user_metadata = notes.user_metadata;
  return facts;
}

}  // namespace ts::blocks
