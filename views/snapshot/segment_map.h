#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/blocks/allocator_history.h"
#include "views/charts/chart_input.h"
#include "views/charts/title_row.h"
#include "views/common/view_state.h"
#include "views/snapshot/segment_pieces.h"

namespace ts::views {

// The segments that are shown, and a number that changes with them.
struct SegmentState {
  std::vector<allocator::SnapshotSegment> segments;
  std::uint64_t version = 0;
};

// The segments and blocks of an opened snapshot after one of its events, drawn to scale, without a
// toolkit. Once a frame: lay_out, update, draw. A click selects the block for the other views.
class SegmentMap {
 public:
  // `state` is that of `history`; both outlive the frame.
  void lay_out(const DrawSink& sink, const Rect& area, const ViewContext& context,
               const blocks::AllocatorHistory& history, const SegmentState& state);
  void update(const ChartInput& input, ViewContext& context);
  void draw(DrawSink& sink, const ViewContext& context) const;

  [[nodiscard]] const Rect& plot() const { return plot_; }
  [[nodiscard]] const SegmentPieces& pieces() const { return pieces_; }
  // The place of a piece in the plot.
  [[nodiscard]] Rect place_of(const SegmentPiece& piece) const;

 private:
  [[nodiscard]] const SegmentPiece* piece_at(Point at) const;
  [[nodiscard]] Color color_of(const ViewContext& context, const SegmentPiece& piece) const;
  [[nodiscard]] std::optional<memory::BlockIndex> block_of(
      const allocator::SnapshotBlock& block) const;
  [[nodiscard]] std::optional<memory::BlockIndex> block_of(const SegmentPiece& piece) const;
  float lay_out_title(const DrawSink& sink, const Rect& row, const ViewContext& context);
  void shorten_subtitle(const DrawSink& sink);
  void step(const ChartInput& input, ViewContext& context) const;
  void draw_read_out(DrawSink& sink, const ViewContext& context, const SegmentPiece& piece) const;

  // Bytes of the segments.
  struct Sums {
    std::int64_t segments = 0;
    std::int64_t reserved = 0;
    std::int64_t active = 0;
    std::int64_t in_private_pools = 0;  // of reserved
    std::int64_t pieces = 0;            // free parts
    std::int64_t largest = 0;           // of them
  };
  static Sums sums_of(const SegmentState& state);

  // The inputs of the current layout.
  const blocks::AllocatorHistory* history_ = nullptr;
  const SegmentState* state_ = nullptr;
  std::uint64_t version_ = 0;
  std::int32_t rows_ = 0;
  std::int32_t width_ = 0;

  Rect all_;
  Rect plot_;
  float row_height_ = 1;
  float row_pitch_ = 1;
  TitleRow title_;
  std::string subtitle_;
  std::vector<LegendEntry> legend_;
  SegmentPieces pieces_;
  Sums sums_;
  std::optional<SegmentPiece> hover_;
  Point mouse_;
};

}  // namespace ts::views
