#include "views/snapshot/segment_pieces.h"

#include <algorithm>
#include <cmath>

namespace ts::views {
namespace {

std::vector<std::uint32_t> by_address(std::span<const allocator::SnapshotSegment> segments) {
  std::vector<std::uint32_t> order;
  for (std::uint32_t i = 0; i < segments.size(); ++i) {
    if (segments[i].total_size > 0) order.push_back(i);
  }
  std::ranges::stable_sort(order, {}, [&](std::uint32_t i) { return segments[i].address; });
  return order;
}

// Splits pieces of the one long strip into rows.
class Rows {
 public:
  Rows(float width, std::vector<SegmentPiece>& pieces) : width_(width), pieces_(pieces) {}

  void add(double begin, double end, std::uint32_t segment, std::uint32_t block) {
    while (begin < end) {
      const double row = std::floor(begin / static_cast<double>(width_));
      const double row_begin = row * static_cast<double>(width_);
      const double until = std::min(end, row_begin + static_cast<double>(width_));
      SegmentPiece piece{.row = static_cast<std::int32_t>(row),
                         .x0 = static_cast<float>(begin - row_begin),
                         .x1 = static_cast<float>(until - row_begin),
                         .segment = segment,
                         .block = block};
      piece.x0 = std::floor(piece.x0);
      piece.x1 = std::max(std::floor(piece.x1), piece.x0 + 1);
      const bool hidden =
          !pieces_.empty() && pieces_.back().row == piece.row && piece.x1 <= pieces_.back().x1;
      if (!hidden) pieces_.push_back(piece);
      begin = until;
    }
  }

 private:
  float width_;
  std::vector<SegmentPiece>& pieces_;
};

}  // namespace

SegmentPieces lay_out_segments(std::span<const allocator::SnapshotSegment> segments,
                               std::int32_t rows, float width) {
  SegmentPieces out;
  const std::vector<std::uint32_t> order = by_address(segments);
  if (order.empty() || rows < 1 || width < 1) return out;
  double total = 0;
  for (const std::uint32_t i : order) total += static_cast<double>(segments[i].total_size);
  const double pixels = std::floor(static_cast<double>(width)) * rows;
  const double share = pixels / static_cast<double>(order.size());  // of a segment
  const double gap = share >= 12 ? 2 : share >= 5 ? 1 : 0;
  out.bytes_per_pixel = total / (pixels - gap * static_cast<double>(order.size()));
  Rows strip(std::floor(width), out.pieces);
  double at = 0;
  for (const std::uint32_t i : order) {
    const allocator::SnapshotSegment& segment = segments[i];
    double begin = at;
    for (std::uint32_t b = 0; b < segment.blocks.size(); ++b) {
      const double end =
          begin + static_cast<double>(std::max<std::int64_t>(segment.blocks[b].size, 0)) /
                      out.bytes_per_pixel;
      strip.add(begin, std::min(end, pixels), i, b);
      begin = end;
    }
    at += static_cast<double>(segment.total_size) / out.bytes_per_pixel + gap;
  }
  return out;
}

}  // namespace ts::views
