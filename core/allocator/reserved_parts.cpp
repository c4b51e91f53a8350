#include "core/allocator/reserved_parts.h"

#include <algorithm>
#include <numeric>

#include "core/allocator/caching_allocator_state.h"

namespace ts::allocator {
namespace {

using Piece = SegmentView::BlockView;

void add(ReservedParts& parts, ReservedPart part, std::int64_t bytes) {
  parts.bytes[static_cast<std::size_t>(part)] += bytes;
}

void add_used(ReservedParts& parts, const Piece& block, const AllocatorSettings& settings) {
  const bool known = block.requested > 0 && block.requested <= block.size;
  const std::int64_t asked = known ? block.requested : block.size;
  const std::int64_t whole =
      std::min(block.size, (asked + kMinBlockSize - 1) / kMinBlockSize * kMinBlockSize);
  const std::int64_t classed =
      known ? std::clamp(settings.round_size(asked), whole, block.size) : whole;
  parts.allocated += block.size;
  parts.requested += asked;
  add(parts, ReservedPart::rounding, whole - asked);
  add(parts, ReservedPart::size_class, classed - whole);
  add(parts, ReservedPart::unsplit, block.size - classed);
}

// Whether max_split_size keeps a request of `size` bytes from a free block that is large enough.
bool is_barred(std::int64_t size, std::int64_t block, const AllocatorSettings& settings) {
  if (size < settings.max_split_size) return block >= settings.max_split_size;
  return block - size >= settings.max_non_split_rounding;
}

}  // namespace

std::string_view to_string(ReservedPart part) {
  constexpr std::array<std::string_view, kReservedParts> kNames{
      "rounding", "size_class", "unsplit", "too_small",    "barred",
      "usable",   "elsewhere",  "cached",  "private_pools"};
  return kNames[static_cast<std::size_t>(part)];
}

std::int64_t ReservedParts::sum() const {
  return std::accumulate(bytes.begin(), bytes.end(), std::int64_t{0});
}

ReservedPart part_of_piece(const SegmentView& segment, const Piece& piece,
                           const AllocatorSettings& settings, const std::optional<Asked>& asked) {
  if (segment.blocks.size() == 1) return ReservedPart::cached;
  if (!asked) return ReservedPart::usable;
  const std::int64_t size = settings.round_size(asked->bytes);
  if (segment.stream != asked->stream || segment.small_pool != (size <= kSmallSize))
    return ReservedPart::elsewhere;
  if (piece.size < size) return ReservedPart::too_small;
  return is_barred(size, piece.size, settings) ? ReservedPart::barred : ReservedPart::usable;
}

ReservedParts reserved_parts(std::span<const SegmentView> segments,
                             const AllocatorSettings& settings, const std::optional<Asked>& asked,
                             const PrivateBytes& in_private_pools) {
  ReservedParts parts;
  for (const SegmentView& segment : segments) {
    parts.reserved += segment.size;
    for (const Piece& block : segment.blocks) {
      if (block.allocated) {
        add_used(parts, block, settings);
      } else {
        add(parts, part_of_piece(segment, block, settings, asked), block.size);
      }
    }
  }
  parts.reserved += in_private_pools.reserved;
  parts.requested += in_private_pools.requested;
  add(parts, ReservedPart::private_pools, in_private_pools.reserved - in_private_pools.requested);
  return parts;
}

}  // namespace ts::allocator
