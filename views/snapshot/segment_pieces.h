#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "core/allocator/snapshot.h"

namespace ts::views {

// Segments drawn to scale, in order of address and wrapped like words. A piece is
// the part of a row that a block takes.
struct SegmentPiece {
  std::int32_t row = 0;
  float x0 = 0;  // pixels from the left end of the row
  float x1 = 0;
  std::uint32_t segment = 0;  // index among the segments
  std::uint32_t block = 0;    // index in the segment
};
struct SegmentPieces {
  std::vector<SegmentPiece> pieces;  // by row, then by x
  double bytes_per_pixel = 1;
};

// The scale makes everything fit into `rows` rows of `width` pixels. Segments are a pixel or two
// apart, if there is room for that. A block narrower than a pixel is left out if its pixel already
// has a piece, so there are at most about rows * width pieces.
SegmentPieces lay_out_segments(std::span<const allocator::SnapshotSegment> segments,
                               std::int32_t rows, float width);

}  // namespace ts::views
