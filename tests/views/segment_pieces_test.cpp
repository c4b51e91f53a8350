#include "views/snapshot/segment_pieces.h"

#include <gtest/gtest.h>

#include <cmath>
#include <map>
#include <random>
#include <unordered_map>

#include "core/files/opened_file.h"
#include "tests/views/recording_sink.h"
#include "tests/views/texts_for_tests.h"
#include "views/snapshot/segment_map.h"

namespace ts::views {
namespace {

std::vector<allocator::SnapshotSegment> random_segments(std::uint32_t seed, int count) {
  std::mt19937 random(seed);
  const auto below = [&](std::uint32_t end) { return static_cast<std::int64_t>(random() % end); };
  std::vector<allocator::SnapshotSegment> segments;
  for (int i = 0; i < count; ++i) {
    allocator::SnapshotSegment segment;
    segment.address = static_cast<std::uint64_t>(below(1000)) << 32U;
    const std::int64_t blocks = 1 + below(6);
    for (std::int64_t b = 0; b < blocks; ++b) {
      allocator::SnapshotBlock block;
      block.address = segment.address + static_cast<std::uint64_t>(segment.total_size);
      block.size = 512 * (1 + below(1U << static_cast<std::uint32_t>(below(16))));
      segment.total_size += block.size;
      segment.blocks.push_back(block);
    }
    segments.push_back(segment);
  }
  return segments;
}

// Everything is inside the rows, in order, without overlap, by address, and to scale.
TEST(SegmentPieces, AreToScaleAndInside) {
  for (std::uint32_t seed = 0; seed < 40; ++seed) {
    SCOPED_TRACE(seed);
    const auto segments = random_segments(seed, static_cast<int>(1 + seed * 13));
    constexpr std::int32_t kRows = 9;
    constexpr float kWidth = 700;
    const SegmentPieces laid = lay_out_segments(segments, kRows, kWidth);
    std::map<std::pair<std::uint32_t, std::uint32_t>, double> pixels;
    const SegmentPiece* before = nullptr;
    for (const SegmentPiece& piece : laid.pieces) {
      EXPECT_GE(piece.row, 0);
      EXPECT_LT(piece.row, kRows);
      EXPECT_GE(piece.x0, 0);
      EXPECT_LE(piece.x1, kWidth + 1);
      EXPECT_LT(piece.x0, piece.x1);
      if (before != nullptr) {
        EXPECT_TRUE(before->row < piece.row || before->x0 <= piece.x0);
        EXPECT_LE(segments[before->segment].address, segments[piece.segment].address);
      }
      before = &piece;
      pixels[{piece.segment, piece.block}] += static_cast<double>(piece.x1 - piece.x0);
    }
    for (const auto& [block, width] : pixels) {
      const auto& taken = segments[block.first].blocks[block.second];
      // Two edges of each of its rows are rounded.
      EXPECT_NEAR(width, static_cast<double>(taken.size) / laid.bytes_per_pixel, kRows + 1.0);
    }
    EXPECT_LE(laid.pieces.size(), static_cast<std::size_t>(kRows * kWidth) + 1);
  }
}

TEST(SegmentPieces, NothingToLayOutGivesNothing) {
  EXPECT_TRUE(lay_out_segments({}, 5, 100).pieces.empty());
  const auto segments = random_segments(1, 5);
  EXPECT_TRUE(lay_out_segments(segments, 0, 100).pieces.empty());
  EXPECT_TRUE(lay_out_segments(segments, 5, 0).pieces.empty());
}

// In a narrow pane the legend goes below the facts, which are not cut.
TEST(SegmentMap, FactsAndLegendAreWholeInANarrowPane) {
  files::OpenedFile file;
  const memory::AllocationLog log;
  const std::unordered_map<memory::BlockIndex, allocator::StackIndex> none;
  const blocks::AllocatorHistory history({.snapshot = file.file.snapshot,
                                          .log = log,
                                          .stacks = {},
                                          .entries = {},
                                          .event_entries = {},
                                          .free_stacks = none});
  const SegmentState state{.segments = random_segments(3, 62), .version = 1};
  base::StringTable strings;
  const text::Texts texts = testing::program_texts();
  ViewState view;
  ViewContext context{nullptr, strings, texts, theme(ThemeKind::dark), {1}, view, 0, 0, ""};
  context.file = &file;
  float wide_plot = 0;
  for (const float width : {1400.F, 600.F, 260.F}) {
    SCOPED_TRACE(width);
    SegmentMap map;
    testing::RecordingSink sink;
    map.lay_out(sink, {0, 0, width, 300}, context, history, state);
    const float plot = map.plot().y0;
    if (wide_plot == 0) wide_plot = plot;
    map.draw(sink, context);
    bool facts = false;
    for (const auto& call : sink.calls) {
      facts = facts || (call.text.starts_with("62 segments") && call.text.ends_with("free"));
      EXPECT_FALSE(call.text.starts_with("62 ") && call.text.ends_with("…")) << call.text;
    }
    EXPECT_EQ(facts, width > 300) << "in the narrowest pane facts are left out, none is cut";
    if (width < 300) continue;
    for (const char* const key : {"segments.free", "segments.pending", "segments.rounding"})
      EXPECT_TRUE(sink.says(texts(key))) << key;
    EXPECT_EQ(plot, width > 1000 ? wide_plot : wide_plot + 20);
  }
}

}  // namespace
}  // namespace ts::views
