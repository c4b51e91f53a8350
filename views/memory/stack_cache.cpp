#include "views/memory/stack_cache.h"

#include <algorithm>
#include <cmath>

#include "views/charts/chart_text.h"
#include "views/common/allocation_colors.h"

namespace ts::views {
namespace {

constexpr std::int64_t kFrameShare = 1'500'000;  // nanoseconds a layout may take in every frame
constexpr std::int64_t kPauseFactor = 8;
constexpr std::int32_t kCoarsest = 4;  // pixels per column

}  // namespace

std::int32_t layer_of(std::string_view module) {
  std::size_t begin = 0;
  while (begin < module.size()) {
    const std::size_t dot = std::min(module.find('.', begin), module.size());
    const std::string_view part = module.substr(begin, dot - begin);
    const bool number = !part.empty() && part.size() < 8 &&
                        part.find_first_not_of("0123456789") == std::string_view::npos;
    if (number) {
      std::int32_t value = 0;
      for (const char c : part) value = value * 10 + (c - '0');
      return value;
    }
    begin = dot + 1;
  }
  return -1;
}

Color band_color(const Theme& theme) {
  return mixed(theme.surface, theme.text3, 0.45F);
}

bool StackCache::odd_layer(const base::StringTable& strings, base::StringId module) {
  if (module >= odd_.size()) odd_.resize(std::size_t{module} + 1, -1);
  std::int8_t& known = odd_[module];
  if (known < 0) known = layer_of(strings.view(module)) % 2 == 1 ? 1 : 0;
  return known == 1;
}

void StackCache::clear() {
  *this = StackCache();
}

void StackCache::update(const memory::AllocationLog& log, const base::StringTable& strings,
                        const MemoryAxis& axis, const MemoryScale& scale, const StackSettings& look,
                        const Theme& theme, std::int64_t now_ns) {
  const Key wanted{log.version(),
                   axis.kind,
                   axis.axis.range,
                   axis.axis.pixels(),
                   static_cast<std::int32_t>(std::max(0.0F, std::round(scale.plot.height()))),
                   scale.top,
                   look};
  const bool rests = made_ && wanted == key_;
  stale_ = false;
  if (rests && coarse_ == 1) return;
  // A layout with another axis or look cannot be shown instead.
  const bool usable = made_ && wanted.kind == key_.kind && wanted.look == key_.look;
  std::int32_t coarse = 1;
  if (usable && !rests)
    while (coarse < kCoarsest && whole_cost_ns_ / coarse > kFrameShare) coarse *= 2;
  const std::int64_t expected = whole_cost_ns_ / coarse;
  if (usable && expected > kFrameShare && now_ns - made_ns_ < kPauseFactor * expected) {
    stale_ = true;
    return;
  }
  const std::int64_t begin = base::now_ns();
  memory::LayoutRequest request = request_for(axis, scale.bytes_per_pixel(), look.detail);
  request.columns = std::max(1, request.columns / coarse);
  layout_ = memory::lay_out_active_memory(log, request);
  const auto blocks = log.blocks();
  const auto color_of = [&](memory::BlockIndex block, memory::Category category) {
    if (look.by_allocation)
      return block == memory::kNone ? band_color(theme) : allocation_color(block);
    const Color color = theme.category[static_cast<std::size_t>(category)];
    if (block == memory::kNone) return color;
    return odd_layer(strings, blocks[block].module) ? darker(color) : color;
  };
  picture_ =
      make_stack_picture(layout_, wanted.rows, scale.top, look.scale, theme.surface, color_of);
  key_ = wanted;
  made_ = true;
  coarse_ = coarse;
  stale_ = coarse > 1;
  made_ns_ = now_ns;
  whole_cost_ns_ = (base::now_ns() - begin) * coarse;
}

float StackCache::x_of(const MemoryAxis& axis, std::int32_t column) const {
  if (coarse_ == 1 && axis.axis.range == key_.range && axis.axis.pixels() == key_.columns)
    return axis.axis.x0 + static_cast<float>(column);
  const double part =
      static_cast<double>(column) / static_cast<double>(std::max(picture_.columns, 1));
  const auto place = static_cast<std::int64_t>(part * static_cast<double>(key_.range.length()));
  return std::round(axis.axis.x_of(key_.range.begin + place));
}

void StackCache::draw(DrawSink& sink, const MemoryAxis& axis, const MemoryScale& scale) const {
  if (!made_ || axis.kind != key_.kind) return;
  const float unit = static_cast<float>(
      static_cast<double>(key_.top) / static_cast<double>(scale.top) *
      static_cast<double>(scale.plot.height()) / static_cast<double>(std::max(picture_.rows, 1)));
  std::vector<float> xs(static_cast<std::size_t>(picture_.columns) + 1);
  for (std::size_t i = 0; i < xs.size(); ++i)
    xs[i] = std::clamp(x_of(axis, static_cast<std::int32_t>(i)), scale.plot.x0, scale.plot.x1);
  std::vector<float> ys(static_cast<std::size_t>(picture_.rows) + 1);
  for (std::size_t i = 0; i < ys.size(); ++i)
    ys[i] = std::max(std::round(scale.plot.y1 - static_cast<float>(i) * unit), scale.plot.y0);
  for (const StackFill& fill : picture_.fills) {
    const Rect rect{xs[static_cast<std::size_t>(fill.x0)], ys[static_cast<std::size_t>(fill.y1)],
                    xs[static_cast<std::size_t>(fill.x1)], ys[static_cast<std::size_t>(fill.y0)]};
    if (rect.x1 > rect.x0 && rect.y1 > rect.y0) sink.fill(rect, fill.color);
  }
}

bool StackCache::hit(const MemoryAxis& axis, const MemoryScale& scale, Point at,
                     memory::StackRect& out) const {
  if (!made_ || axis.kind != key_.kind || !scale.plot.contains(at)) return false;
  const std::int64_t place = axis.axis.time_at(at.x);
  const double part = static_cast<double>(place - key_.range.begin) /
                      static_cast<double>(std::max<std::int64_t>(key_.range.length(), 1));
  const auto column = static_cast<std::int32_t>(std::floor(part * picture_.columns));
  if (column < 0 || column >= picture_.columns) return false;
  return memory::rect_at(layout_, column, scale.bytes_at(at.y), out);
}

void StackCache::outline(DrawSink& sink, const MemoryAxis& axis, const MemoryScale& scale,
                         memory::BlockIndex block, Color color, float thickness) const {
  if (!made_ || axis.kind != key_.kind) return;
  const memory::StackRect* before = nullptr;
  const auto edge_y = [&](std::int64_t bytes) {
    return std::clamp(std::round(scale.y_of(bytes)), scale.plot.y0, scale.plot.y1);
  };
  const auto upright = [&](float x, std::int64_t a, std::int64_t b) {
    const float y0 = std::min(edge_y(a), edge_y(b));
    const float y1 = std::max(edge_y(a), edge_y(b));
    const float left = std::clamp(x - thickness / 2, scale.plot.x0, scale.plot.x1 - thickness);
    if (y1 > y0) sink.fill({left, y0, left + thickness, y1}, color);
  };
  for (const memory::StackRect& rect : layout_.rects) {
    if (rect.block != block) continue;
    const float x0 = std::clamp(x_of(axis, rect.column_begin), scale.plot.x0, scale.plot.x1);
    const float x1 = std::clamp(x_of(axis, rect.column_end), scale.plot.x0, scale.plot.x1);
    const float y0 = edge_y(rect.top);
    const float y1 = std::max(edge_y(rect.bottom), y0 + 1);
    const bool joined = before != nullptr && before->column_end == rect.column_begin;
    if (joined) {
      upright(x0, before->top, rect.top);
      upright(x0, before->bottom, rect.bottom);
    } else {
      if (before != nullptr) upright(x_of(axis, before->column_end), before->bottom, before->top);
      upright(x0, rect.bottom, rect.top);
    }
    if (x1 > x0) {
      sink.fill({x0, std::max(y0 - thickness / 2, scale.plot.y0), x1, y0 + thickness / 2}, color);
      sink.fill({x0, y1 - thickness / 2, x1, std::min(y1 + thickness / 2, scale.plot.y1)}, color);
    }
    before = &rect;
  }
  if (before != nullptr) {
    const float x = std::clamp(x_of(axis, before->column_end), scale.plot.x0, scale.plot.x1);
    upright(x, before->bottom, before->top);
  }
}

}  // namespace ts::views
