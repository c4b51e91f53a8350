#include "views/snapshot/flame_figure.h"

#include <cmath>

#include "core/blocks/frame_kind.h"
#include "core/blocks/stack_parts.h"
#include "core/files/opened_file.h"
#include "core/text/numbers.h"
#include "views/charts/chart_text.h"
#include "views/charts/read_out.h"
#include "views/common/allocation_colors.h"
#include "views/snapshot/weight_text.h"

namespace ts::views {
namespace {

constexpr float kRowHeight = 20;
constexpr float kLeastWidth = 1;  // pixels; narrower frames are left out

}  // namespace

void FlameFigure::lay_out(const Rect& area, const ViewContext& context,
                          const std::vector<blocks::FlameNode>& nodes, std::uint64_t version,
                          blocks::Weight weight, blocks::FlameFrames frames) {
  plot_ = area;
  row_ = std::round(context.metrics.px(kRowHeight));
  nodes_ = &nodes;
  weight_ = weight;
  frames_ = frames;
  if (version != version_) {
    version_ = version;
    shown_ = 0;
    hover_.reset();
  }
}

bool FlameFigure::above_shown(std::uint32_t node) const {
  for (std::uint32_t at = shown_; at != memory::kNone; at = (*nodes_)[at].parent) {
    if (at == node) return true;
  }
  return false;
}

Rect FlameFigure::place_of(std::uint32_t index) const {
  const blocks::FlameNode& shown = (*nodes_)[shown_];
  const blocks::FlameNode& node = (*nodes_)[index];
  const float y = plot_.y0 + static_cast<float>(node.depth) * row_;
  const Rect row{plot_.x0, y, plot_.x1, y + row_};
  if (above_shown(index)) return row;
  if (shown.weight <= 0 || node.begin < shown.begin ||
      node.begin + node.weight > (shown.begin + shown.weight) * (1 + 1e-12) ||
      node.depth <= shown.depth)
    return {};
  const double scale = static_cast<double>(plot_.width()) / shown.weight;
  const double x0 = (node.begin - shown.begin) * scale;
  const double x1 = x0 + node.weight * scale;
  const Rect place{plot_.x0 + static_cast<float>(std::round(x0)), y,
                   plot_.x0 + static_cast<float>(std::round(x1)), y + row_};
  return place.width() < kLeastWidth ? Rect{} : place;
}

std::optional<std::uint32_t> FlameFigure::node_at(Point at) const {
  if (nodes_ == nullptr || !plot_.contains(at)) return std::nullopt;
  for (std::uint32_t i = 0; i < nodes_->size(); ++i) {
    if (place_of(i).contains(at)) return i;
  }
  return std::nullopt;
}

bool FlameFigure::update(const ChartInput& input, ViewContext& context) {
  mouse_ = input.mouse;
  hover_ = input.hovered ? node_at(input.mouse) : std::nullopt;
  if (input.clear) shown_ = 0;
  if (!hover_ || !input.left_pressed) return false;
  shown_ = *hover_;
  const memory::BlockIndex largest = (*nodes_)[shown_].largest;
  if (largest != memory::kNone && shown_ != 0) context.state.selected_block = largest;
  return true;
}

std::string FlameFigure::name_of(const ViewContext& context, std::uint32_t index) const {
  const blocks::FlameNode& node = (*nodes_)[index];
  if (index == 0) return context.texts("flame.all");
  if (node.frame == memory::kNone) return context.texts("flame.no_stack");
  const allocator::Snapshot& snapshot = context.file->file.snapshot;
  if (frames_ == blocks::FlameFrames::telling)
    return blocks::frame_of_program_text(snapshot, node.frame, blocks::Paths::names);
  return blocks::short_frame_text(snapshot, snapshot.stacks.frame(node.frame));
}

void FlameFigure::draw(DrawSink& sink, const ViewContext& context) const {
  if (nodes_ == nullptr || context.file == nullptr) return;
  const Metrics& metrics = context.metrics;
  sink.push_clip(plot_);
  for (std::uint32_t i = 0; i < nodes_->size(); ++i) {
    Rect place = place_of(i);
    if (place.width() <= 0 || place.y0 >= plot_.y1) continue;
    const blocks::FlameNode& node = (*nodes_)[i];
    const Color color = i == 0 ? context.theme.surface3 : allocation_color(node.frame);
    const bool dimmed = i != shown_ && above_shown(i);
    if (place.width() >= 3) place.x1 -= 1;
    place.y1 -= 1;
    sink.fill(place, dimmed ? mixed(color, context.theme.surface, 0.5F) : color);
    if (hover_ == i) sink.outline(place, context.theme.text, 1);
    // The colours of allocations are of middling lightness: black reads on all of them.
    const Color ink = i == 0 ? context.theme.text : Color{0xFF000000U};
    text_in(sink, {place.x0 + metrics.px(5), place.y0, place.x1 - metrics.px(3), place.y1},
            TextStyle::small, ink,
            name_of(context, i) + "  " + weight_text(context.texts, node.weight, weight_));
  }
  sink.pop_clip();
  if (hover_) draw_read_out(sink, context, *hover_);
}

void FlameFigure::draw_read_out(DrawSink& sink, const ViewContext& context,
                                std::uint32_t index) const {
  const blocks::FlameNode& node = (*nodes_)[index];
  const double all = (*nodes_)[0].weight;
  const allocator::Snapshot& snapshot = context.file->file.snapshot;
  std::vector<ReadOutLine> lines;
  lines.push_back(
      {context.texts("flame.share",
                     {{"size", weight_text(context.texts, node.weight, weight_)},
                      {"percent", text::decimal(all > 0 ? 100 * node.weight / all : 0, 1)},
                      {"count", text::grouped(node.count)}}),
       TextStyle::body_medium, true});
  const bool named = index != 0 && node.frame != memory::kNone;
  const std::string name = named ? blocks::frame_text(snapshot, snapshot.stacks.frame(node.frame))
                                 : name_of(context, index);
  const float room = read_out_path_room(sink, context.metrics, plot_, lines);
  lines.push_back(
      {named ? fitted_path(sink, TextStyle::mono, name, room) : name, TextStyle::mono, false});
  views::draw_read_out(sink, context.theme, context.metrics, mouse_, plot_, lines);
}

}  // namespace ts::views
