#include "views/memory/stack_cache.h"

#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

#include "core/base/clock.h"

namespace ts::views {
namespace {

constexpr std::int64_t kFrameShare = 1'500'000;  // nanoseconds a layout may take in every frame
constexpr std::int64_t kPauseFactor = 8;
constexpr std::int32_t kCoarsest = 4;  // pixels a column
// Events of a log of which the first picture, whose cost is not known yet, is made in a frame.
constexpr std::size_t kFewEvents = 50'000;

// A stretch of a block's outline, in pixels.
struct Stretch {
  float x0, x1, y0, y1;
};

void draw_outline_of(DrawSink& sink, const Rect& plot, const std::vector<Stretch>& stretches,
                     Color color, float thickness) {
  const auto upright = [&](float x, float a, float b) {
    const float y0 = std::min(a, b);
    const float y1 = std::max(a, b);
    const float left = std::clamp(x - thickness / 2, plot.x0, plot.x1 - thickness);
    if (y1 > y0) sink.fill({left, y0, left + thickness, y1}, color);
  };
  const Stretch* before = nullptr;
  for (const Stretch& at : stretches) {
    if (before != nullptr && before->x1 == at.x0) {
      upright(at.x0, before->y0, at.y0);
      upright(at.x0, before->y1, at.y1);
    } else {
      if (before != nullptr) upright(before->x1, before->y0, before->y1);
      upright(at.x0, at.y0, at.y1);
    }
    if (at.x1 > at.x0) {
      if (at.y0 > plot.y0)
        sink.fill({at.x0, std::max(at.y0 - thickness / 2, plot.y0), at.x1, at.y0 + thickness / 2},
                  color);
      if (at.y1 < plot.y1 || at.y0 < plot.y1)
        sink.fill({at.x0, at.y1 - thickness / 2, at.x1, std::min(at.y1 + thickness / 2, plot.y1)},
                  color);
    }
    before = &at;
  }
  if (before != nullptr) upright(before->x1, before->y0, before->y1);
}

}  // namespace

void StackCache::clear() {
  *this = StackCache();
}

StackOrder StackCache::order(const View& view, const Asked& asked) const {
  StackOrder out;
  out.number = last_number_;
  out.log = view.source.log;
  out.strings = &view.strings;
  out.stacks = view.source.stacks;
  out.request = request_for(view.axis, view.scale.bytes_per_pixel(), view.look.detail);
  out.request.columns = std::max(1, out.request.columns / asked.coarse);
  out.request.bottom = view.scale.bottom;
  out.request.rows = asked.key.rows;
  out.request.tracked = view.tracked;
  out.look = view.look;
  out.hits = view.hits;
  out.owner = view.source.owner;
  return out;
}

void StackCache::take_over(MadeStack made, const Asked& asked, std::int64_t now_ns) {
  made_ = std::move(made);
  key_ = asked.key;
  coarse_ = asked.coarse;
  has_made_ = true;
  made_ns_ = now_ns;
  whole_cost_ns_ = made_.cost_ns * asked.coarse;
}

void StackCache::update(const View& view) {
  const Key wanted{
      .version = view.source.log->version(),
      .kind = view.axis.kind,
      .range = view.axis.axis.range,
      .columns = view.axis.axis.pixels(),
      .rows = static_cast<std::int32_t>(std::max(0.0F, std::round(view.scale.plot.height()))),
      .bottom = view.scale.bottom,
      .top = view.scale.top,
      .look = view.look,
      .tracked = view.tracked,
      .hits = view.hits};
  const bool few = view.source.log->events().size() < kFewEvents;
  const bool dear = has_made_ ? whole_cost_ns_ > kFrameShare : !few;
  if (asked_ || (view.source.owner != nullptr && dear && !view.at_once)) {
    update_in_background(view, wanted);
  } else {
    update_here(view, wanted);
  }
}

void StackCache::stop_painting() {
  background_->stop();
  asked_.reset();
}

void StackCache::update_in_background(const View& view, const Key& wanted) {
  if (auto made = background_->take(); made && asked_ && made->number == last_number_) {
    take_over(std::move(*made), *asked_, view.now_ns);
    asked_.reset();
  }
  stale_ = !has_made_ || wanted != key_;
  // Finish the picture in progress first: while the view moves, new pictures keep coming.
  if (!stale_ || background_->busy()) return;
  asked_ = Asked{wanted, 1};
  ++last_number_;
  background_->ask(order(view, *asked_));
}

void StackCache::update_here(const View& view, const Key& wanted) {
  const bool rests = has_made_ && wanted == key_;
  stale_ = false;
  if (rests && coarse_ == 1) return;
  // Another axis or look cannot stand in for this one.
  const bool usable =
      has_made_ && wanted.kind == key_.kind && wanted.look == key_.look && !view.at_once;
  std::int32_t coarse = 1;
  if (usable && !rests)
    while (coarse < kCoarsest && whole_cost_ns_ / coarse > kFrameShare) coarse *= 2;
  const std::int64_t expected = whole_cost_ns_ / coarse;
  if (usable && expected > kFrameShare && view.now_ns - made_ns_ < kPauseFactor * expected) {
    stale_ = true;
    return;
  }
  const Asked asked{wanted, coarse};
  take_over(maker_.make(order(view, asked)), asked, view.now_ns);
  stale_ = coarse > 1;
}

float StackCache::x_of(const MemoryAxis& axis, std::int32_t column) const {
  if (coarse_ == 1 && axis.axis.range == key_.range && axis.axis.pixels() == key_.columns)
    return axis.axis.x0 + static_cast<float>(column);
  const double part =
      static_cast<double>(column) / static_cast<double>(std::max(made_.picture.columns, 1));
  const auto place = static_cast<std::int64_t>(part * static_cast<double>(key_.range.length()));
  return std::round(axis.axis.x_of(key_.range.begin + place));
}

void StackCache::draw(DrawSink& sink, const MemoryAxis& axis, const MemoryScale& scale) const {
  if (!has_made_ || axis.kind != key_.kind) return;
  const StackPicture& picture = made_.picture;
  const double per_row = static_cast<double>(key_.top - key_.bottom) / std::max(picture.rows, 1);
  std::vector<float> xs(static_cast<std::size_t>(picture.columns) + 1);
  for (std::size_t i = 0; i < xs.size(); ++i)
    xs[i] = std::clamp(x_of(axis, static_cast<std::int32_t>(i)), scale.plot.x0, scale.plot.x1);
  std::vector<float> ys(static_cast<std::size_t>(picture.rows) + 1);
  for (std::size_t i = 0; i < ys.size(); ++i) {
    const double bytes = static_cast<double>(key_.bottom) + static_cast<double>(i) * per_row;
    ys[i] = std::clamp(std::round(scale.y_of(static_cast<std::int64_t>(bytes))), scale.plot.y0,
                       scale.plot.y1);
  }
  for (const StackFill& fill : picture.fills) {
    const Rect rect{xs[static_cast<std::size_t>(fill.x0)], ys[static_cast<std::size_t>(fill.y1)],
                    xs[static_cast<std::size_t>(fill.x1)], ys[static_cast<std::size_t>(fill.y0)]};
    if (rect.x1 > rect.x0 && rect.y1 > rect.y0) sink.fill(rect, fill.color);
  }
}

std::optional<std::int32_t> StackCache::column_at(const MemoryAxis& axis, float x) const {
  const std::int64_t place = axis.axis.time_at(x);
  const double part = static_cast<double>(place - key_.range.begin) /
                      static_cast<double>(std::max<std::int64_t>(key_.range.length(), 1));
  const auto columns = static_cast<std::int32_t>(made_.layout.columns.size());
  const double column = std::floor(part * columns);
  if (!(column >= 0) || column >= columns) return std::nullopt;
  return static_cast<std::int32_t>(column);
}

std::optional<memory::StackPlace> StackCache::hit(const memory::AllocationLog& log,
                                                  const MemoryAxis& axis, const MemoryScale& scale,
                                                  Point at) {
  if (!has_made_ || axis.kind != key_.kind || !scale.plot.contains(at)) return std::nullopt;
  const auto column = column_at(axis, at.x);
  if (!column) return std::nullopt;
  const memory::EventIndex event = made_.layout.columns[static_cast<std::size_t>(*column)].event;
  if (column_.event() != event || column_version_ != log.version()) {
    column_ = memory::StackColumn(log, event);
    column_version_ = log.version();
  }
  // The middle of the row, as it is drawn.
  return column_.at(log, made_.layout.drawn, scale.bytes_at(std::floor(at.y) + 0.5F));
}

std::optional<base::TimeRange> StackCache::bytes_of_tracked(const memory::AllocationLog& log,
                                                            memory::BlockIndex block) const {
  if (!has_made_ || block != key_.tracked || made_.layout.tracked.empty()) return std::nullopt;
  const auto [low, high] =
      std::ranges::minmax(made_.layout.tracked, {}, &memory::TrackedPlace::bottom);
  return base::TimeRange{low.bottom, high.bottom + log.blocks()[block].size};
}

void StackCache::outline(DrawSink& sink, const MemoryAxis& axis, const MemoryScale& scale,
                         const memory::AllocationLog& log, memory::BlockIndex block, Color color,
                         float thickness) const {
  if (!has_made_ || axis.kind != key_.kind || block >= log.blocks().size()) return;
  const Rect& plot = scale.plot;
  std::vector<Stretch> stretches;
  // Out of view it has no height, at the edge that it lies beyond.
  const auto add = [&](std::int32_t begin, std::int32_t end, std::int64_t bottom,
                       std::int64_t top) {
    const float x0 = std::clamp(x_of(axis, begin), plot.x0, plot.x1);
    const float x1 = std::clamp(x_of(axis, end), plot.x0, plot.x1);
    const float y0 = std::round(scale.y_of(top));
    const float y1 = std::max(std::round(scale.y_of(bottom)), y0 + 2);
    if (y1 <= plot.y0 || y0 >= plot.y1) return;
    stretches.push_back(
        {x0, x1, std::clamp(y0, plot.y0, plot.y1), std::clamp(y1, plot.y0, plot.y1)});
  };
  if (block == key_.tracked) {
    const std::int64_t size = log.blocks()[block].size;
    for (const memory::TrackedPlace& at : made_.layout.tracked)
      add(at.column_begin, at.column_end, at.bottom, at.bottom + size);
  } else {
    const double per_row =
        static_cast<double>(key_.top - key_.bottom) / std::max(made_.picture.rows, 1);
    const auto bytes = [&](std::int32_t row) {
      return key_.bottom + static_cast<std::int64_t>(std::llround(row * per_row));
    };
    for (const memory::StackRect& rect : made_.layout.rects) {
      if (rect.block != block) continue;
      add(rect.column_begin, rect.column_end, bytes(rect.row_begin), bytes(rect.row_end));
    }
  }
  draw_outline_of(sink, plot, stretches, color, thickness);
}

}  // namespace ts::views
