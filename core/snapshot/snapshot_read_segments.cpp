#include <algorithm>
#include <utility>

#include "core/snapshot/snapshot_fields.h"

namespace ts::snapshot {
namespace {

using Key = SnapshotKey;
using Kind = Document::Kind;
using Value = Document::Value;

bool read_state(SnapshotFields& fields, Value value, allocator::BlockState& state) {
  const std::string_view text = fields.document.as_text(value).value_or("");
  if (const auto found = std::ranges::find(kBlockStateNames, text);
      found != kBlockStateNames.end()) {
    state = static_cast<allocator::BlockState>(found - kBlockStateNames.begin());
    return true;
  }
  // The name in PyTorch's documentation.
  if (text == "active_awaiting_free") {
    state = allocator::BlockState::active_pending_free;
    return true;
  }
  return fields.wrong(Key::state, value, "active_allocated, active_pending_free or inactive");
}

bool read_past(SnapshotFields& fields, Value dict, allocator::PastAllocation& past) {
  return fields.each_entry(dict, [&](Key key, Value name, Value value) {
    switch (key) {
      case Key::frames:
        return fields.stack(key, value, past.stack);
      case Key::real_size:
        return fields.size(key, value, past.requested.emplace());
      case Key::addr:
        return fields.address(key, value, past.address.emplace());
      default:
        fields.ignore(name);
        return true;
    }
  });
}

// PyTorch 2.0 and earlier: the allocations at that place. The newest one made a block in use; those
// of a free block are gone.
bool read_history(SnapshotFields& fields, Value list, allocator::SnapshotBlock& block) {
  allocator::PastAllocations history;
  const bool good = fields.each_item(name_of(Key::history), list, [&](Value item) {
    return read_past(fields, item, history.emplace_back());
  });
  if (!good) return false;
  if (block.state != allocator::BlockState::inactive && !history.empty()) {
    if (history.front().stack != memory::kNone) block.stack = history.front().stack;
    block.requested = history.front().requested.value_or(block.requested);
  }
  block.history = static_cast<allocator::HistoryIndex>(fields.snapshot.histories.size());
  fields.snapshot.histories.push_back(std::move(history));
  return true;
}

// The fields that a block can be without.
bool read_rest(SnapshotFields& fields, Key key, Value name, Value value,
               allocator::SnapshotBlock& block) {
  switch (key) {
    case Key::requested_size:
      return fields.size(key, value, block.requested);
    case Key::frames:
      return fields.stack(key, value, block.stack);
    default:
      fields.ignore(name);
      return true;
  }
}

bool read_block(SnapshotFields& fields, Value dict, allocator::SnapshotBlock& block) {
  bool has_size = false;
  bool has_state = false;
  Value history;
  const bool good = fields.each_entry(dict, [&](Key key, Value name, Value value) {
    switch (key) {
      case Key::address:
        fields.block_addresses = true;
        return fields.address(key, value, block.address);
      case Key::size:
        has_size = true;
        return fields.size(key, value, block.size);
      case Key::state:
        has_state = true;
        return read_state(fields, value, block.state);
      case Key::history:
        return fields.optional(key, value, [&] {
          const bool list = fields.is(Kind::list, key, value, "a list");
          if (list) history = value;
          return list;
        });
      default:
        return fields.optional(key, value,
                               [&] { return read_rest(fields, key, name, value, block); });
    }
  });
  if (!good) return false;
  if (!has_size) return fields.lacks("size");
  if (!has_state) return fields.lacks("state");
  if (Document::kind(history) == Kind::none) return true;
  const auto read = [&] { return read_history(fields, history, block); };
  // That of a free block says nothing of what is there.
  return block.state == allocator::BlockState::inactive
             ? fields.optional(Key::history, history, read)
             : read();
}

bool read_blocks(SnapshotFields& fields, Value list, allocator::SnapshotSegment& segment) {
  std::uint64_t next_address = segment.address;
  return fields.each_item(name_of(Key::blocks), list, [&](Value item) {
    allocator::SnapshotBlock block;
    block.address = next_address;  // older files omit the address
    if (!read_block(fields, item, block)) return false;
    segment.blocks.push_back(block);
    next_address = block.address + static_cast<std::uint64_t>(block.size);
    return true;
  });
}

bool read_type(SnapshotFields& fields, Value value, bool& small_pool) {
  const std::string_view text = fields.document.as_text(value).value_or("");
  small_pool = text == "small";
  return small_pool || text == "large" || fields.wrong(Key::segment_type, value, "small or large");
}

// The fields that a segment can be without.
bool read_rest(SnapshotFields& fields, Key key, Value name, Value value,
               allocator::SnapshotSegment& segment) {
  switch (key) {
    case Key::allocated_size:
      return fields.size(key, value, segment.allocated_size);
    case Key::active_size:
      return fields.size(key, value, segment.active_size);
    case Key::requested_size:
      return fields.size(key, value, segment.requested_size);
    case Key::stream:
      return fields.integer(key, value, segment.stream);
    case Key::segment_pool_id:
      return fields.pool(key, value, segment.pool);
    case Key::is_expandable:
      return fields.boolean(key, value, segment.expandable);
    case Key::frames:
      return fields.stack(key, value, segment.stack);
    default:
      fields.ignore(name);
      return true;
  }
}

bool read_segment(SnapshotFields& fields, Value dict, allocator::SnapshotSegment& segment) {
  bool has_type = false;
  bool has_address = false;
  bool has_size = false;
  Value blocks;
  const bool good = fields.each_entry(dict, [&](Key key, Value name, Value value) {
    switch (key) {
      case Key::device:
        return fields.device(key, value, segment.device);
      case Key::address:
        has_address = true;
        return fields.address(key, value, segment.address);
      case Key::total_size:
        has_size = true;
        return fields.size(key, value, segment.total_size);
      case Key::segment_type:
        has_type = true;
        return read_type(fields, value, segment.small_pool);
      case Key::blocks:
        blocks = value;
        return fields.is(Kind::list, key, value, "a list");
      default:
        return fields.optional(key, value,
                               [&] { return read_rest(fields, key, name, value, segment); });
    }
  });
  if (!good) return false;
  if (!has_address) return fields.lacks("address");
  if (!has_size) return fields.lacks("total_size");
  constexpr std::int64_t kSmallSegment = std::int64_t{2} << 20;
  if (!has_type) segment.small_pool = segment.total_size == kSmallSegment;
  return Document::kind(blocks) == Kind::none || read_blocks(fields, blocks, segment);
}

}  // namespace

void read_segments(SnapshotFields& fields, Value list) {
  fields.snapshot.segments.clear();
  fields.each_item(name_of(Key::segments), list, [&](Value item) {
    allocator::SnapshotSegment segment;
    if (!read_segment(fields, item, segment)) return false;
    fields.snapshot.segments.push_back(std::move(segment));
    return true;
  });
}

}  // namespace ts::snapshot
