#include "views/snapshot/segment_map.h"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <utility>

#include "core/files/opened_file.h"
#include "core/text/numbers.h"
#include "views/charts/chart_text.h"
#include "views/charts/read_out.h"
#include "views/common/allocation_colors.h"

namespace ts::views {
namespace {

constexpr float kTitle = 38;
constexpr float kLegendRow = 20;
constexpr float kPadding = 14;
constexpr float kRow = 18;
constexpr float kRowGap = 4;

// A free part must not look like a category.
Color free_color(const Theme& theme) {
  return theme.surface3;
}

// Sizes that files claim are summed in doubles: exact below 2^53, and without overflow.
std::int64_t whole(double bytes) {
  constexpr double kMost = 9e18;
  return static_cast<std::int64_t>(std::clamp(bytes, -kMost, kMost));
}

bool in_private_pool(const allocator::SnapshotSegment& segment) {
  return segment.pool != allocator::PoolId{};
}

}  // namespace

SegmentMap::Sums SegmentMap::sums_of(const SegmentState& state) {
  Sums sums;
  double reserved = 0;
  double active = 0;
  double in_private_pools = 0;
  for (const allocator::SnapshotSegment& segment : state.segments) {
    ++sums.segments;
    reserved += static_cast<double>(segment.total_size);
    if (in_private_pool(segment)) in_private_pools += static_cast<double>(segment.total_size);
    for (const allocator::SnapshotBlock& block : segment.blocks) {
      if (block.state != allocator::BlockState::inactive) {
        active += static_cast<double>(block.size);
        continue;
      }
      ++sums.pieces;
      sums.largest = std::max(sums.largest, block.size);
    }
  }
  sums.reserved = whole(reserved);
  sums.active = whole(active);
  sums.in_private_pools = whole(in_private_pools);
  return sums;
}

void SegmentMap::lay_out(const DrawSink& sink, const Rect& area, const ViewContext& context,
                         const blocks::AllocatorHistory& history, const SegmentState& state) {
  history_ = &history;
  state_ = &state;
  const auto px = [&](float value) { return std::round(context.metrics.px(value)); };
  all_ = area;
  const Rect row{area.x0 + px(kPadding), area.y0, area.x1 - px(kPadding), area.y0 + px(kTitle)};
  if (state.version != version_) sums_ = sums_of(state);
  const float below = lay_out_title(sink, row, context);
  plot_ = {row.x0, below, std::max(row.x0, row.x1), std::max(below, area.y1 - px(kPadding))};
  row_height_ = px(kRow);
  row_pitch_ = row_height_ + px(kRowGap);
  const auto rows =
      static_cast<std::int32_t>((plot_.height() + px(kRowGap)) / std::max(row_pitch_, 1.0F));
  const auto width = static_cast<std::int32_t>(plot_.width());
  if (state.version != version_ || rows != rows_ || width != width_) {
    version_ = state.version;
    rows_ = rows;
    width_ = width;
    pieces_ = lay_out_segments(state.segments, rows, plot_.width());
  }
}

// Returns where the plot begins: the legend has a row of its own where the facts would be cut.
float SegmentMap::lay_out_title(const DrawSink& sink, const Rect& row, const ViewContext& context) {
  legend_.clear();
  const bool modelled = has_modelled_segments(context.file->file.snapshot);
  subtitle_ = context.texts(sums_.in_private_pools > 0 ? "segments.summary_private"
                            : modelled                 ? "segments.summary_modelled"
                                                       : "segments.summary",
                            {{"count", text::grouped(sums_.segments)},
                             {"reserved", text::bytes(sums_.reserved).joined()},
                             {"free", text::bytes(sums_.reserved - sums_.active).joined()},
                             {"private", text::bytes(sums_.in_private_pools).joined()},
                             {"pieces", text::grouped(sums_.pieces)},
                             {"largest", text::bytes(sums_.largest).joined()}});
  legend_.push_back({context.texts("segments.free"), free_color(context.theme), 0, 1});
  legend_.push_back({context.texts("segments.pending"), free_pending_color(context.theme), 0, 0});
  legend_.push_back({context.texts("segments.rounding"), context.theme.bad, 0, 0});
  const std::string title = context.texts("segments.title");
  const auto lay_out = [&](std::span<const LegendEntry> legend) {
    title_ = lay_out_title_row(sink, row, context.metrics, title, subtitle_, legend,
                               LegendSide::right, {});
  };
  lay_out(legend_);
  const bool all =
      std::ranges::all_of(title_.legend, [](const Rect& one) { return one.width() > 0; });
  if (all && title_.subtitle.width() >= sink.text_width(TextStyle::small, subtitle_)) return row.y1;
  lay_out({});
  // Close below the title text.
  const float up = std::round(context.metrics.px(6));
  const float end = row.y1 + std::round(context.metrics.px(kLegendRow));
  lay_out_legend_row(sink, {row.x0, row.y1 - up, row.x1, end - up}, context.metrics, legend_,
                     title_);
  shorten_subtitle(sink);
  return end;
}

// Without the last facts where all do not fit: no number loses its unit.
void SegmentMap::shorten_subtitle(const DrawSink& sink) {
  constexpr std::string_view kBetween[] = {", ", "\xef\xbc\x8c"};  // that of Chinese is wide
  subtitle_ = fitted_parts(sink, TextStyle::small, subtitle_, title_.subtitle.width(), kBetween);
}

Rect SegmentMap::place_of(const SegmentPiece& piece) const {
  const float y = plot_.y0 + static_cast<float>(piece.row) * row_pitch_;
  return {plot_.x0 + piece.x0, y, plot_.x0 + piece.x1, y + row_height_};
}

const SegmentPiece* SegmentMap::piece_at(Point at) const {
  if (!plot_.contains(at)) return nullptr;
  const auto row = static_cast<std::int32_t>((at.y - plot_.y0) / row_pitch_);
  if (at.y - plot_.y0 - static_cast<float>(row) * row_pitch_ > row_height_) return nullptr;
  const float x = at.x - plot_.x0;
  const auto after = std::ranges::upper_bound(
      pieces_.pieces, std::pair(row, x), {},
      [](const SegmentPiece& piece) { return std::pair(piece.row, piece.x0); });
  if (after == pieces_.pieces.begin()) return nullptr;
  const SegmentPiece& piece = *(after - 1);
  return piece.row == row && x < piece.x1 ? &piece : nullptr;
}

std::optional<memory::BlockIndex> SegmentMap::block_of(
    const allocator::SnapshotBlock& block) const {
  if (block.state == allocator::BlockState::inactive) return std::nullopt;
  return history_->block_at(block.address);
}

std::optional<memory::BlockIndex> SegmentMap::block_of(const SegmentPiece& piece) const {
  return block_of(state_->segments[piece.segment].blocks[piece.block]);
}

// Selects the neighbour of the selected block, across free parts; above or below the nearest block
// of the first row that has one. Without a selection, the first block of all.
void SegmentMap::step(const ChartInput& input, ViewContext& context) const {
  auto& selected = context.state.selected_block;
  const auto& pieces = pieces_.pieces;
  const auto block = [&](const SegmentPiece& piece) { return block_of(piece); };
  const auto now = std::ranges::find_if(
      pieces, [&](const SegmentPiece& piece) { return selected && block(piece) == selected; });
  if (now == pieces.end()) {
    const auto first =
        std::ranges::find_if(pieces, [&](const SegmentPiece& piece) { return !!block(piece); });
    if (first != pieces.end()) selected = block(*first);
    return;
  }
  const auto other = [&](const SegmentPiece& piece) {
    return block(piece) && block(piece) != selected;
  };
  if (input.step_x > 0) {
    if (const auto next = std::find_if(now, pieces.end(), other); next != pieces.end())
      selected = block(*next);
  } else if (input.step_x < 0) {
    const auto before = std::find_if(std::reverse_iterator(now), pieces.rend(), other);
    if (before != pieces.rend()) selected = block(*before);
  }
  if (input.step_y == 0) return;
  const float middle = (now->x0 + now->x1) / 2;
  const SegmentPiece* best = nullptr;
  const auto distance = [&](const SegmentPiece& piece) {
    const float aside = std::max({0.0F, piece.x0 - middle, middle - piece.x1});
    return std::pair(std::abs(piece.row - now->row), aside);
  };
  for (const SegmentPiece& piece : pieces) {
    const bool beyond = (piece.row - now->row) * input.step_y > 0;
    if (beyond && other(piece) && (best == nullptr || distance(piece) < distance(*best)))
      best = &piece;
  }
  if (best != nullptr) selected = block(*best);
}

void SegmentMap::update(const ChartInput& input, ViewContext& context) {
  mouse_ = input.mouse;
  hover_.reset();
  if (context.file == nullptr) return;
  if (input.step_x != 0 || input.step_y != 0) step(input, context);
  if (!input.hovered) return;
  const SegmentPiece* piece = piece_at(input.mouse);
  if (piece == nullptr) return;
  hover_ = *piece;
  const auto block = block_of(*piece);
  context.state.hovered_block = block;
  if (input.left_pressed) context.state.selected_block = block;
}

Color SegmentMap::color_of(const ViewContext& context, const SegmentPiece& piece) const {
  const allocator::SnapshotBlock& block = state_->segments[piece.segment].blocks[piece.block];
  if (block.state == allocator::BlockState::inactive) return free_color(context.theme);
  if (block.state == allocator::BlockState::active_pending_free)
    return free_pending_color(context.theme);
  const auto index = block_of(block);
  if (index && context.state.block_colors == BlockColors::allocation)
    return allocation_color(*index);
  if (index && context.state.block_colors == BlockColors::stack && context.file_device != nullptr)
    return stack_color(context.run->memory.blocks()[*index], *index, context.file_device->stacks);
  const auto category =
      index ? context.run->memory.blocks()[*index].category : memory::Category::unknown;
  return context.theme.category[static_cast<std::size_t>(category)];
}

void SegmentMap::draw(DrawSink& sink, const ViewContext& context) const {
  sink.push_clip(all_);
  draw_title_row(sink, title_, context.theme, context.metrics, context.texts("segments.title"),
                 subtitle_, legend_);
  if (pieces_.pieces.empty()) {
    const float height = sink.text_height(TextStyle::body);
    text_in(sink, {plot_.x0, plot_.y0, plot_.x1, plot_.y0 + height}, TextStyle::body,
            context.theme.text3, context.texts("segments.none"));
    sink.pop_clip();
    return;
  }
  const auto& selected = context.state.selected_block;
  for (const SegmentPiece& piece : pieces_.pieces) {
    Rect rect = place_of(piece);
    // A thin gap between wide neighbours separates equal colours.
    if (rect.width() >= 6) rect.x1 -= 1;
    sink.fill(rect, color_of(context, piece));
    const auto& block = state_->segments[piece.segment].blocks[piece.block];
    const bool ends = &piece == &pieces_.pieces.back() || (&piece)[1].block != piece.block ||
                      (&piece)[1].segment != piece.segment;
    if (ends && block.state == allocator::BlockState::active_allocated && block.requested > 0) {
      const double rounding =
          static_cast<double>(block.size - block.requested) / pieces_.bytes_per_pixel;
      const auto width = static_cast<float>(std::floor(rounding));
      if (width >= 1)
        sink.fill({std::max(rect.x0, rect.x1 - width), rect.y0, rect.x1, rect.y1},
                  context.theme.bad);
    }
    if (!selected) continue;
    if (block_of(block) == selected) sink.outline(rect, context.theme.text, 2);
  }
  if (hover_) {
    sink.outline(place_of(*hover_), context.theme.text, 1);
    draw_read_out(sink, context, *hover_);
  }
  sink.pop_clip();
}

void SegmentMap::draw_read_out(DrawSink& sink, const ViewContext& context,
                               const SegmentPiece& piece) const {
  const auto& texts = context.texts;
  const allocator::SnapshotSegment& segment = state_->segments[piece.segment];
  const allocator::SnapshotBlock& block = segment.blocks[piece.block];
  std::vector<ReadOutLine> lines;
  const std::string size = text::bytes(block.size).joined();
  const char* state = block.state == allocator::BlockState::inactive ? "segments.block_free"
                      : block.state == allocator::BlockState::active_pending_free
                          ? "segments.block_pending"
                          : "segments.block_taken";
  lines.push_back({texts(state, {{"size", size}}), TextStyle::body_medium, true});
  if (block.state != allocator::BlockState::inactive && block.requested > 0 &&
      block.requested != block.size) {
    lines.push_back({texts("segments.requested", {{"size", text::bytes(block.requested).joined()}}),
                     TextStyle::small, false});
  }
  if (const auto index = block_of(block)) {
    const memory::Block& live = context.run->memory.blocks()[*index];
    for (const base::StringId id : {live.op, live.module}) {
      const std::string_view words = context.strings.view(id);
      if (!words.empty()) lines.push_back({std::string(words), TextStyle::mono, true});
    }
  }
  lines.push_back({texts(segment.expandable   ? "segments.in_expandable"
                         : segment.small_pool ? "segments.in_small"
                                              : "segments.in_large",
                         {{"size", text::bytes(segment.total_size).joined()},
                          {"address", text::hexadecimal(segment.address)}}),
                   TextStyle::small, false});
  if (in_private_pool(segment)) {
    lines.push_back(
        {texts("segments.private_pool", {{"first", std::to_string(segment.pool.first)},
                                         {"second", std::to_string(segment.pool.second)}}),
         TextStyle::small, false});
  }
  views::draw_read_out(sink, context.theme, context.metrics, mouse_, all_, lines);
}

}  // namespace ts::views
