#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "core/allocator/snapshot.h"

namespace ts::files {

struct OpenedFile;
struct OpenedDevice;

// A part of the memory of one device. Unset: all of it.
struct MemoryPart {
  std::optional<std::int64_t> stream;
  std::optional<allocator::PoolId> pool;
  friend bool operator==(const MemoryPart&, const MemoryPart&) = default;
  [[nodiscard]] bool is_all() const { return !stream && !pool; }
};

// The streams and pools of a device, in ascending order.
struct MemoryParts {
  std::vector<std::int64_t> streams;
  std::vector<allocator::PoolId> pools = {};
};

// Whether there is something to show: the stream and the pool are among them.
bool has_part(const MemoryParts& parts, const MemoryPart& part);

// The parts of a device of a snapshot, by its trace and final segments. An event's pool is what it
// tells (PyTorch 2.12 and later), else that of the final segment around its address; an address in
// none counts to the default pool. O(events x log(segments)).
MemoryParts parts_of(const allocator::Snapshot& snapshot, std::size_t device);

// The snapshot with that part of one device only: its events, its segments; annotations and
// settings as they are. `entries`: the numbers of the kept events in the trace of the whole.
allocator::Snapshot part_of(const allocator::Snapshot& whole, std::size_t device,
                            const MemoryPart& part, std::vector<std::uint32_t>& entries);

// A file with that part of some of its devices, which are its only ones. Blocks have the categories
// and phases that they have in the whole: a guess at the part alone might be another one. No other
// thread may change the logs of the whole meanwhile.
std::unique_ptr<OpenedFile> narrowed(const OpenedFile& whole, std::span<const OpenedDevice> devices,
                                     const MemoryPart& part);

// Blocks of the part, by their numbers in the whole.
std::vector<std::uint32_t> in_whole(const OpenedDevice& part,
                                    std::span<const std::uint32_t> blocks);

// Gives the blocks of the part the categories of the whole, after these were corrected.
void take_categories(OpenedDevice& part, const OpenedDevice& whole);

}  // namespace ts::files
