#include "core/blocks/block_table.h"

#include <algorithm>
#include <tuple>
#include <unordered_map>

#include "core/text/numbers.h"

namespace ts::blocks {
namespace {

constexpr double kSecond = 1e9;  // nanoseconds

// Blocks of one key have one name, so a name is made once a key.
std::uint64_t key_of(const BlockSource& source, GroupBy by, memory::BlockIndex index) {
  const memory::Block& block = source.log.blocks()[index];
  switch (by) {
    case GroupBy::op:
      return block.op;
    case GroupBy::size:
      return static_cast<std::uint64_t>(block.size);
    case GroupBy::category:
      return static_cast<std::uint64_t>(block.category);
    case GroupBy::frame:
    case GroupBy::stack:
      break;
  }
  return source.stack_of(index);
}

}  // namespace

std::string group_name(const BlockSource& source, GroupBy by, memory::BlockIndex index,
                       Paths paths) {
  const allocator::Snapshot& snapshot = source.snapshot;
  const memory::Block& block = source.log.blocks()[index];
  switch (by) {
    case GroupBy::op:
      return std::string(snapshot.text(block.op));
    case GroupBy::size:
      return text::bytes(block.size).joined() + " (" + text::grouped(block.size) + " B)";
    case GroupBy::category:
      return std::string(memory::category_name(block.category));
    case GroupBy::stack:
      return short_stack_text(snapshot, source.stack_of(index), paths);
    case GroupBy::frame:
      break;
  }
  const allocator::FrameIndex frame = frame_of_program(snapshot, source.stack_of(index));
  return frame == memory::kNone ? std::string() : frame_of_program_text(snapshot, frame, paths);
}

std::vector<WeightedBlock> weighted_blocks(const memory::AllocationLog& log, Weight weight,
                                           memory::EventIndex event) {
  std::vector<WeightedBlock> chosen;
  if (weight == Weight::alive) {
    for (const memory::BlockIndex block : log.live_after(event))
      chosen.push_back({block, static_cast<double>(log.blocks()[block].size)});
    return chosen;
  }
  const std::int64_t end = log.time_range().end;
  const auto blocks = log.blocks();
  const auto count = static_cast<memory::EventIndex>(log.events().size());
  chosen.reserve(blocks.size());
  for (memory::BlockIndex i = 0; i < blocks.size(); ++i) {
    const memory::Block& block = blocks[i];
    double bytes = static_cast<double>(block.size);
    if (weight == Weight::lifetime) {
      const std::int64_t freed =
          block.free_event == memory::kNone ? end : log.events()[block.free_event].time_ns;
      bytes *= static_cast<double>(freed - log.events()[block.alloc_event].time_ns) / kSecond;
    }
    if (weight == Weight::events) {
      const auto freed = block.free_event == memory::kNone ? count : block.free_event;
      bytes *= static_cast<double>(freed - block.alloc_event);
    }
    chosen.push_back({i, bytes});
  }
  return chosen;
}

std::vector<BlockGroup> group_blocks(const BlockSource& source, GroupBy by, Weight weight,
                                     memory::EventIndex event) {
  std::unordered_map<std::uint64_t, std::size_t> by_key;
  std::unordered_map<std::string, std::size_t> by_name;
  std::vector<BlockGroup> groups;
  for (const WeightedBlock& chosen : weighted_blocks(source.log, weight, event)) {
    const std::uint64_t key = key_of(source, by, chosen.block);
    auto place = by_key.find(key);
    if (place == by_key.end()) {
      std::string name = group_name(source, by, chosen.block);
      const auto [named, fresh] = by_name.try_emplace(name, groups.size());
      if (fresh)
        groups.push_back(
            {.name = std::move(name), .brief = group_name(source, by, chosen.block, Paths::names)});
      place = by_key.emplace(key, named->second).first;
    }
    BlockGroup& group = groups[place->second];
    const std::int64_t size = source.log.blocks()[chosen.block].size;
    ++group.count;
    group.weight += chosen.weight;
    if (group.first == memory::kNone || size > group.largest) {
      group.largest = size;
      group.first = chosen.block;
    }
  }
  std::ranges::sort(groups, [](const BlockGroup& a, const BlockGroup& b) {
    return std::tuple(-a.weight, std::string_view(a.name)) <
           std::tuple(-b.weight, std::string_view(b.name));
  });
  return groups;
}

std::vector<memory::BlockIndex> blocks_of_group(const BlockSource& source, GroupBy by,
                                                Weight weight, memory::EventIndex event,
                                                const std::string& name) {
  std::unordered_map<std::uint64_t, bool> inside;  // by key
  std::vector<memory::BlockIndex> found;
  for (const WeightedBlock& chosen : weighted_blocks(source.log, weight, event)) {
    const auto [place, fresh] = inside.try_emplace(key_of(source, by, chosen.block));
    if (fresh) place->second = group_name(source, by, chosen.block) == name;
    if (place->second) found.push_back(chosen.block);
  }
  std::ranges::sort(found);
  return found;
}

}  // namespace ts::blocks
