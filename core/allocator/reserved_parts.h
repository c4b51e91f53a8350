#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

#include "core/allocator/allocator_settings.h"
#include "core/allocator/caching_allocator.h"

namespace ts::allocator {

// Where the bytes are that are reserved but that nobody asked for.
enum class ReservedPart : std::uint8_t {
  // Inside blocks in use.
  rounding,    // requests are rounded up to 512 B
  size_class,  // and to a division of a power of two, with roundup_power2_divisions
  unsplit,     // rests that were too small to be split off
  // Free pieces of segments that are partly in use, by what was asked.
  too_small,  // smaller than it, in its pool and stream
  barred,     // large enough, but max_split_size keeps it from them
  usable,     // it could get them; all pieces if nothing was asked
  elsewhere,  // of another pool or stream
  // The rest.
  cached,        // segments, or ranges of an expandable one, without a block in use
  private_pools  // of CUDA graphs and MemPool: all that they hold beyond what was asked
};
inline constexpr int kReservedParts = 9;
// The name in JSON and of its text: "too_small".
std::string_view to_string(ReservedPart part);

struct Asked {
  std::int64_t bytes = 0;
  std::int64_t stream = 0;
  friend bool operator==(const Asked&, const Asked&) = default;
};

// Bytes at one moment. Every reserved byte is counted once: gap() is the sum of all parts.
struct ReservedParts {
  std::int64_t reserved = 0;
  std::int64_t allocated = 0;  // of whole blocks, outside private pools
  std::int64_t requested = 0;  // of live blocks, as they were asked for
  std::array<std::int64_t, kReservedParts> bytes{};
  [[nodiscard]] std::int64_t gap() const { return reserved - requested; }
  [[nodiscard]] std::int64_t operator[](ReservedPart part) const {
    return bytes[static_cast<std::size_t>(part)];
  }
  [[nodiscard]] std::int64_t sum() const;
  friend bool operator==(const ReservedParts&, const ReservedParts&) = default;
};

struct PrivateBytes {
  std::int64_t reserved = 0;
  std::int64_t requested = 0;
};

// Divides what `segments` reserve. A block whose request is not known counts as asked for whole.
// `asked`: the request against which free pieces are measured, in the default pools. The rules are
// those of get_free_block() and alloc_block() of PyTorch 2.11. Pure.
ReservedParts reserved_parts(std::span<const SegmentView> segments,
                             const AllocatorSettings& settings, const std::optional<Asked>& asked,
                             const PrivateBytes& in_private_pools = {});

// The part of a free piece of a segment.
ReservedPart part_of_piece(const SegmentView& segment, const SegmentView::BlockView& piece,
                           const AllocatorSettings& settings, const std::optional<Asked>& asked);

}  // namespace ts::allocator
