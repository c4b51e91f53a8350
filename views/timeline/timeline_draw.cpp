#include <algorithm>
#include <cmath>

#include "core/text/numbers.h"
#include "views/charts/chart_text.h"
#include "views/charts/recording_plate.h"
#include "views/charts/stale_mark.h"
#include "views/timeline/empty_timeline.h"
#include "views/timeline/hover_text.h"
#include "views/timeline/timeline_chart.h"

namespace ts::views {
namespace {

// Intersection of two rectangles. Without area if they do not meet.
Rect common(const Rect& a, const Rect& b) {
  const float x0 = std::max(a.x0, b.x0);
  const float y0 = std::max(a.y0, b.y0);
  return {x0, y0, std::max(x0, std::min(a.x1, b.x1)), std::max(y0, std::min(a.y1, b.y1))};
}

}  // namespace

void TimelineChart::draw(DrawSink& sink, const ViewContext& context) {
  const TimelineDrawContext drawing{.sink = sink,
                                    .theme = context.theme,
                                    .metrics = context.metrics,
                                    .strings = context.strings,
                                    .texts = context.texts};
  sink.push_clip(regions_.all);
  draw_title_row(sink, title_, context.theme, context.metrics, context.texts("timeline.title"),
                 subtitle_, legend_);
  if (!has_run_) {
    const Rect rest{regions_.all.x0, regions_.title.y1, regions_.all.x1, regions_.all.y1};
    draw_empty_timeline(sink, rest, context);
    sink.pop_clip();
    return;
  }
  if (bounds_.empty()) {
    const float height = sink.text_height(TextStyle::body);
    const Rect line{regions_.title.x0, regions_.title.y1 + context.metrics.px(8), regions_.title.x1,
                    regions_.title.y1 + context.metrics.px(8) + height};
    text_in(sink, line, TextStyle::body, context.theme.text3, context.texts("timeline.waiting"));
    sink.pop_clip();
    return;
  }
  const std::int64_t origin = bounds_.begin;
  if (regions_.has_map()) {
    const std::string length = text::duration_ns(static_cast<double>(bounds_.length())).joined();
    text_in(sink, regions_.map_label, TextStyle::small, context.theme.text3,
            context.texts("timeline.capture", {{"duration", length}}));
    minimap_.draw(sink, context.theme, regions_.map, axis_.range);
  }
  const Rect body = regions_.body();
  sink.line({regions_.all.x0, regions_.ruler.y0 + 0.5F},
            {regions_.all.x1, regions_.ruler.y0 + 0.5F}, context.theme.line);
  sink.line({body.x0 - 0.5F, body.y0}, {body.x0 - 0.5F, body.y1}, context.theme.line);
  draw_grid(drawing, {body.x0, regions_.ruler.y1, body.x1, body.y1}, axis_, origin, ticks_);
  const Rect label = mark_label(drawing, context);
  draw_ruler(drawing, regions_.ruler, axis_, origin, ticks_, label);
  draw_mark(drawing, context, label);
  draw_tracks(drawing, context);
  if (regions_.has_counter()) draw_counter_row(drawing, context);
  draw_stale(sink, context.theme, context.metrics,
             {regions_.all.x0, regions_.title.y1, regions_.all.x1, regions_.all.y1}, context.texts,
             context.stale);
  draw_overlays(drawing, context);
  sink.pop_clip();
}

void TimelineChart::draw_tracks(const TimelineDrawContext& drawing, const ViewContext& context) {
  const trace::TraceStore& store = context.run->trace;
  const float scroll = gestures_.scroll();
  drawing.sink.push_clip({regions_.all.x0, regions_.plot.y0, regions_.all.x1, regions_.plot.y1});
  draw_track_labels(drawing, store, regions_, rows_, scroll);
  draw_queue_labels(drawing);
  draw_counter_labels(drawing);
  drawing.sink.push_clip(regions_.plot);
  for (const TrackRow& row : rows_.rows) {
    const float y0 = std::round(regions_.plot.y0 + row.y - scroll);
    if (y0 + row.height <= regions_.plot.y0 || y0 >= regions_.plot.y1) continue;
    const TrackBand* band = rows_.band_at(row.y);
    const auto slices = lanes_.visible(store, row.track, row.depth);
    place_boxes(slices, axis_, {axis_.x0, y0, axis_.x1, y0 + row.height}, 1, boxes_);
    draw_row(drawing, boxes_, search_, band == nullptr || !band->collapsed);
  }
  draw_queues(drawing);
  draw_counters(drawing);
  draw_selection(drawing, context);
  drawing.sink.pop_clip();
  draw_scroll_bar(drawing);
  drawing.sink.pop_clip();
}

// Queued launches of the visible devices.
void TimelineChart::draw_queues(const TimelineDrawContext& drawing) {
  for (const auto& [track, queue] : queues_) {
    const Rect area = strip_of(drawing, track);
    if (area.height() <= 0) continue;
    counter_columns(queue.points, axis_, counter_);
    draw_counter(drawing.sink, drawing.theme, area, queue.most, counter_);
  }
}

// Labels for the value at the top of a strip.
void TimelineChart::draw_queue_labels(const TimelineDrawContext& drawing) const {
  for (const auto& [track, queue] : queues_) {
    draw_strip_label(drawing, strip_of(drawing, track), drawing.texts("timeline.queue"),
                     drawing.texts("timeline.queue_most", {{"most", text::grouped(queue.most)}}));
  }
}

void TimelineChart::draw_strip_label(const TimelineDrawContext& drawing, const Rect& area,
                                     std::string_view name, std::string_view values) const {
  if (area.height() <= 0) return;
  const float height = drawing.sink.text_height(TextStyle::small);
  const float right = regions_.labels.x1 - drawing.metrics.px(6);
  const float y = std::round((area.y0 + area.y1) / 2 - height);
  text_in(drawing.sink, {regions_.labels.x0, y, right, y + height}, TextStyle::small,
          drawing.theme.text, name);
  text_in(drawing.sink, {regions_.labels.x0, y + height, right, y + 2 * height}, TextStyle::small,
          drawing.theme.text3, values);
}

void TimelineChart::draw_counters(const TimelineDrawContext& drawing) {
  for (const CounterBand& band : rows_.counters) {
    const Rect area = strip_of(drawing, band);
    if (area.height() <= 0) continue;
    counter_columns(strips_[band.counter], axis_, counter_);
    draw_counter(drawing.sink, drawing.theme, area, CounterStrip::kTop, counter_);
  }
}

void TimelineChart::draw_counter_labels(const TimelineDrawContext& drawing) const {
  for (const CounterBand& band : rows_.counters) {
    const Rect area = strip_of(drawing, band);
    const CounterStrip& strip = strips_[band.counter];
    if (area.height() <= 0) continue;
    draw_strip_label(drawing, area, strip.name,
                     drawing.texts("timeline.range", {{"from", counter_text(strip.least)},
                                                      {"to", counter_text(strip.most)}}));
    const float y = area.y1 + std::round(drawing.metrics.px(5)) - 0.5F;
    drawing.sink.line({regions_.all.x0, y}, {regions_.all.x1, y}, drawing.theme.line);
  }
}

// Height 0 if it is out of sight.
Rect TimelineChart::strip_of(const TimelineDrawContext& drawing, const CounterBand& band) const {
  const float gap = std::round(drawing.metrics.px(5));
  const float top = std::round(regions_.plot.y0 + band.y - gestures_.scroll());
  const Rect area{axis_.x0, top + gap, axis_.x1, top + band.height - gap};
  return area.y1 > regions_.plot.y0 && area.y0 < regions_.plot.y1 ? area : Rect{};
}

// Height 0 if it is out of sight.
Rect TimelineChart::strip_of(const TimelineDrawContext& drawing, trace::TrackId track) const {
  for (const TrackBand& band : rows_.bands) {
    if (band.track != track) continue;
    const float bottom = std::round(regions_.plot.y0 + band.y + band.height - gestures_.scroll());
    const Rect area{axis_.x0, bottom - band.strip, axis_.x1,
                    bottom - std::round(drawing.metrics.px(5))};
    if (area.y1 > regions_.plot.y0 && area.y0 < regions_.plot.y1) return area;
  }
  return {};
}

void TimelineChart::draw_selection(const TimelineDrawContext& drawing,
                                   const ViewContext& context) const {
  if (hover_) {
    const Rect seen = common(hover_->rect, regions_.plot);
    if (seen.width() > 0 && seen.height() > 0)
      drawing.sink.outline(seen, with_alpha(drawing.theme.text, 0.55F), 1);
  }
  const auto& selected = context.state.selected_slice;
  if (!selected) return;
  const auto rect = rect_of(context, *selected);
  if (!rect) return;
  const auto partner = context.run->trace.flow_partner(*selected);
  if (partner) {
    if (const auto other = rect_of(context, *partner)) {
      const bool first = rect->x0 <= other->x0;
      draw_flow(drawing, regions_.plot, first ? *rect : *other, first ? *other : *rect);
      const Rect seen = common(*other, regions_.plot);
      if (seen.width() > 0 && seen.height() > 0)
        drawing.sink.outline(seen, drawing.theme.accent, std::round(drawing.metrics.px(1.5F)));
    }
  }
  const Rect seen = common(*rect, regions_.plot);
  if (seen.width() > 0 && seen.height() > 0)
    drawing.sink.outline(seen, drawing.theme.text, std::round(drawing.metrics.px(2)));
}

void TimelineChart::draw_scroll_bar(const TimelineDrawContext& drawing) const {
  const float hidden = rows_.height - regions_.plot.height();
  if (hidden <= 1) return;
  const float height = regions_.plot.height();
  const float width = drawing.metrics.px(4);
  const float size = std::max(height * height / rows_.height, drawing.metrics.px(16));
  const float y =
      regions_.plot.y0 + (height - size) * std::clamp(gestures_.scroll() / hidden, 0.F, 1.F);
  const float x = regions_.all.x1 - width - drawing.metrics.px(3);
  drawing.sink.fill({x, y, x + width, std::min(y + size, regions_.plot.y1)}, drawing.theme.surface3,
                    width / 2);
}

void TimelineChart::draw_counter_row(const TimelineDrawContext& drawing,
                                     const ViewContext& context) {
  const Rect& area = regions_.counter;
  const Rect& label = regions_.counter_label;
  drawing.sink.fill({regions_.all.x0, area.y0, regions_.all.x1, area.y0 + 1}, drawing.theme.line);
  const memory::AllocationLog& log = context.run->memory;
  counter_columns(log, totals_, axis_, counter_);
  std::int64_t most = 0;
  for (const CounterColumn& column : counter_) most = std::max(most, column.most);

  const float padding = std::round(drawing.metrics.px(8));
  const Rect plot{area.x0, area.y0 + padding, area.x1, area.y1 - padding};
  const auto top = static_cast<std::int64_t>(static_cast<double>(most) * 1.08);
  const Ticks ticks =
      byte_ticks(std::max<std::int64_t>(top, 1), plot.height(), drawing.metrics.px(26));
  const float small = drawing.sink.text_height(TextStyle::small);
  if (most > 0) {
    for (const Tick& tick : ticks.ticks) {
      const float y = std::round(
          plot.y1 - static_cast<float>(tick.position / static_cast<double>(top)) * plot.height());
      if (tick.position > 0) drawing.sink.fill({plot.x0, y, plot.x1, y + 1}, drawing.theme.grid);
      const float text_y = std::clamp(y - small / 2, area.y0 + 1, area.y1 - small);
      text_right(drawing.sink, {label.x0, text_y, label.x1 - drawing.metrics.px(6), text_y + small},
                 TextStyle::small, drawing.theme.text3, tick.label);
    }
    draw_counter(drawing.sink, drawing.theme, plot, top, counter_);
  }
  const float body = drawing.sink.text_height(TextStyle::body);
  const float gap = std::round(drawing.metrics.px(2));
  const float y = std::round((area.y0 + area.y1 - body - gap - small) / 2);
  const float right = label.x1 - drawing.metrics.px(40);
  text_in(drawing.sink, {label.x0, y, right, y + body}, TextStyle::body, drawing.theme.text,
          drawing.texts("timeline.allocated"));
  text_in(drawing.sink, {label.x0, y + body + gap, right, y + body + gap + small}, TextStyle::small,
          drawing.theme.text3, most > 0 ? ticks.unit : std::string("–"));
}

Rect TimelineChart::mark_label(const TimelineDrawContext& drawing, const ViewContext& context) {
  const auto& marked = context.state.marked;
  if (!marked) {
    marked_seen_.reset();
    return {};
  }
  const std::uint64_t slices = context.run->trace.slice_count();
  if (marked_seen_ != marked || marked_slices_ != slices) {
    marked_seen_ = marked;
    marked_slices_ = slices;
    marked_facts_ = facts_of_range(context.run->trace, *marked);
    mark_text_ = drawing.texts(
        marked_facts_.exact ? "timeline.marked" : "timeline.marked_about",
        {{"duration", text::duration_ns(static_cast<double>(marked->length())).joined()},
         {"count", text::grouped(marked_facts_.slices)},
         {"percent", text::decimal(marked_facts_.busy * 100, 1)}});
  }
  const float x0 = std::max(axis_.x_of(marked->begin), axis_.x0);
  const float x1 = std::min(axis_.x_of(marked->end), axis_.x1);
  if (x1 <= x0) return {};
  const float width = drawing.sink.text_width(TextStyle::small, mark_text_) + drawing.metrics.px(8);
  const float middle = (x0 + x1) / 2;
  const float left = std::clamp(middle - width / 2, axis_.x0, std::max(axis_.x0, axis_.x1 - width));
  return {left, regions_.ruler.y0, std::min(left + width, axis_.x1), regions_.ruler.y1};
}

void TimelineChart::draw_mark(const TimelineDrawContext& drawing, const ViewContext& context,
                              const Rect& label) const {
  const auto& marked = context.state.marked;
  if (!marked || label.width() <= 0) return;
  const float x0 = std::clamp(std::round(axis_.x_of(marked->begin)), axis_.x0, axis_.x1);
  const float x1 = std::clamp(std::round(axis_.x_of(marked->end)), axis_.x0, axis_.x1);
  const Rect body = regions_.body();
  drawing.sink.fill({x0, regions_.ruler.y1, std::max(x1, x0 + 1), body.y1},
                    with_alpha(drawing.theme.accent, 0.10F));
  drawing.sink.fill(
      {x0, regions_.ruler.y1 - drawing.metrics.px(2), std::max(x1, x0 + 1), regions_.ruler.y1},
      drawing.theme.accent);
  const Rect inside{label.x0 + drawing.metrics.px(4), label.y0, label.x1,
                    label.y1 - drawing.metrics.px(3)};
  text_in(drawing.sink, inside, TextStyle::small, drawing.theme.accent, mark_text_);
}

void TimelineChart::draw_overlays(const TimelineDrawContext& drawing,
                                  const ViewContext& context) const {
  const Rect body = regions_.body();
  if (const auto box = gestures_.box()) {
    const float x0 = std::clamp(axis_.x_of(box->begin), body.x0, body.x1);
    const float x1 = std::clamp(axis_.x_of(box->end), body.x0, body.x1);
    const Rect rect{std::round(x0), regions_.ruler.y1, std::max(std::round(x1), std::round(x0) + 1),
                    body.y1};
    drawing.sink.fill(rect, with_alpha(drawing.theme.accent, 0.16F));
    drawing.sink.outline(rect, drawing.theme.accent, 1);
    const std::string length = text::duration_ns(static_cast<double>(box->length())).joined();
    const Rect plate =
        place_plate(drawing.sink, drawing.metrics, TextStyle::small, length,
                    {(x0 + x1) / 2, regions_.plot.y0 + drawing.metrics.px(16)}, body);
    draw_plate(drawing.sink, drawing.theme, drawing.metrics, plate, TextStyle::small,
               drawing.theme.text, length);
  }
  const auto& cursor = context.state.cursor_ns;
  if (cursor && *cursor >= axis_.range.begin && *cursor <= axis_.range.end) {
    const float x = std::min(std::round(axis_.x_of(*cursor)), body.x1 - 1);
    drawing.sink.fill({x, body.y0, x + 1, body.y1}, with_alpha(drawing.theme.text, 0.7F));
  }
  draw_recording_warning(drawing.sink, drawing.theme, drawing.metrics, drawing.texts, regions_.plot,
                         *context.run, RecordingPart::trace);
  draw_read_out(drawing, context);
}

void TimelineChart::draw_read_out(const TimelineDrawContext& drawing,
                                  const ViewContext& context) const {
  if (!hover_ || !mouse_over_) return;
  const auto lines = read_out(context.run->trace, drawing.strings, drawing.texts, hover_->box);
  const Rect bounds{regions_.plot.x0, regions_.all.y0, regions_.plot.x1, regions_.all.y1};
  views::draw_read_out(drawing.sink, drawing.theme, drawing.metrics, mouse_, bounds, lines);
}

}  // namespace ts::views
