#include <algorithm>
#include <cmath>
#include <string>

#include "core/text/numbers.h"
#include "views/charts/chart_text.h"
#include "views/charts/icons.h"
#include "views/charts/recording_plate.h"
#include "views/charts/stale_mark.h"
#include "views/common/spec_text.h"
#include "views/memory/detail_slider.h"
#include "views/memory/memory_draw_context.h"
#include "views/memory/segments.h"

namespace ts::views {
void MemoryChart::draw(DrawSink& sink, ViewContext& context) {
  const DrawContext drawing{.sink = sink,
                            .theme = context.theme,
                            .metrics = context.metrics,
                            .texts = context.texts,
                            .strings = context.strings};
  sink.push_clip(regions_.all);
  draw_title_row(sink, title_, context.theme, context.metrics, context.texts("memory.title"),
                 subtitle(context), legend_);
  draw_controls(drawing, context);
  if (!has_log_ || totals_.size() == 0) {
    const float height = sink.text_height(TextStyle::body);
    const float y = regions_.title.y1 + drawing.px(8);
    const Rect line{regions_.title.x0, y, regions_.title.x1, y + height};
    const std::string why = has_log_ ? std::string() : obstacle_text(context);
    const char* const nothing = !has_log_                  ? "memory.empty"
                                : context.trace != nullptr ? "memory.none_in_trace"
                                                           : "memory.waiting";
    text_in(sink, line, TextStyle::body, why.empty() ? context.theme.text3 : context.theme.text,
            fitted(sink, TextStyle::body, why.empty() ? std::string(context.texts(nothing)) : why,
                   line.width()));
    sink.pop_clip();
    return;
  }
  draw_grid(drawing);
  draw_parts_of_steps(drawing);
  sink.push_clip({regions_.plot.x0, regions_.plot.y0, end_of_log(), regions_.plot.y1});
  stack_.draw(sink, axis_, scale_);
  // The part after a predicted refusal is fainter, because the run would not reach it.
  if (const auto refused = refusal(context); refused && refused->predicted) {
    const float x = std::clamp(x_of_event(refused->event), regions_.plot.x0, regions_.plot.x1);
    sink.fill({x, regions_.plot.y0, regions_.plot.x1, regions_.plot.y1},
              with_alpha(context.theme.surface, 0.7F));
  }
  sink.pop_clip();
  sink.push_clip(regions_.plot);
  draw_outline(drawing, context);
  draw_layers(drawing, context);
  sink.pop_clip();
  draw_bands(drawing);
  draw_axes(drawing, context);
  draw_byte_position(drawing);
  if (regions_.has_map()) map_.draw(sink, context.theme, regions_.map, axis_.axis.range);
  draw_hint(drawing);
  draw_capacity(drawing, context);
  draw_live_edge(drawing);
  draw_out_of_memory(drawing, context);
  draw_overlays(drawing, context);
  draw_peak(drawing, context);
  if (has_losses(context)) {
    draw_recording_warning(sink, context.theme, context.metrics, context.texts, regions_.plot,
                           *context.run, RecordingPart::memory);
  }
  draw_stale(sink, context.theme, context.metrics,
             {regions_.plot.x0, regions_.bands.y0, regions_.plot.x1, regions_.plot.y1},
             context.texts, context.stale_memory);
  if (regions_.has_list()) {
    const memory::AllocationLog& log = *source_.log;
    const memory::EventIndex event = shown_event(context);
    const LiveListDrawContext list{.sink = sink,
                                   .theme = context.theme,
                                   .metrics = context.metrics,
                                   .strings = context.strings,
                                   .texts = context.texts,
                                   .categories = names_categories()};
    const Point mouse = mouse_over_ ? mouse_ : Point{-1, -1};
    // The cursor is between two events: the list is also valid for its time.
    const auto at = cursor(context);
    const bool pointed = at && log.event_at(*at) == event;
    // The blocks before a predicted refusal are listed under the moment of the refusal.
    const auto refused = at ? std::nullopt : refusal(context);
    const char* const title = refused                     ? "memory.live_at_refusal"
                              : event == log.peak_event() ? "memory.live_at_peak"
                                                          : "memory.live_at";
    const memory::EventIndex named = refused ? refused->event : event;
    const LiveMoment moment{pointed ? *at : log.events()[named].time_ns, title,
                            [&](std::int64_t time) { return moment_text(drawing.texts, time); }};
    listed_ = draw_live_list(list, regions_.list, log, facts_.at(log, event), moment, mouse);
  } else {
    listed_ = memory::kNone;
  }
  draw_read_out(drawing, context);
  sink.pop_clip();
}

void MemoryChart::draw_controls(const DrawContext& drawing, const ViewContext& context) const {
  const ViewState& state = context.state;
  const auto shown = [&](Item item) { return title_.items[item].width() > 0; };
  if (shown(kDetail))
    draw_slider(drawing.sink, drawing.theme, drawing.metrics, title_.items[kDetail],
                detail_text(context, has_log_ ? source_.log->blocks().size() : 0),
                detail_part(state.detail));
  if (shown(kColor))
    draw_segments(drawing.sink, drawing.theme, drawing.metrics, title_.items[kColor],
                  color_text(drawing.texts), static_cast<std::size_t>(state.block_colors));
  if (shown(kAxis))
    draw_segments(drawing.sink, drawing.theme, drawing.metrics, title_.items[kAxis],
                  axis_text(drawing.texts), axis_kind(context) == memory::Axis::event ? 1 : 0);
  if (shown(kLink)) {
    const Rect& at = title_.items[kLink];
    const Color color = state.link_axes ? drawing.theme.accent : drawing.theme.text3;
    text_in(drawing.sink, {at.x0, at.y0, at.x0 + drawing.px(20), at.y1}, TextStyle::small, color,
            icon::kLink);
    text_in(drawing.sink, {at.x0 + drawing.px(20), at.y0, at.x1 + 1, at.y1}, TextStyle::small,
            state.link_axes ? drawing.theme.text : drawing.theme.text2,
            drawing.texts("memory.link_axes"));
  }
}

// Right of the plot: which part of the bytes is in view, when not all are.
void MemoryChart::draw_byte_position(const DrawContext& drawing) const {
  if (own_bytes_.empty()) return;
  const Rect& plot = regions_.plot;
  const Rect track{plot.x1 + drawing.px(4), plot.y0, plot.x1 + drawing.px(9), plot.y1};
  const auto y_of = [&](std::int64_t bytes) {
    const double part = static_cast<double>(bytes) / static_cast<double>(byte_bounds_.end);
    return std::round(plot.y1 - static_cast<float>(part * static_cast<double>(plot.height())));
  };
  drawing.sink.fill(track, drawing.theme.surface3);
  const float y1 = std::clamp(y_of(scale_.bottom), plot.y0 + drawing.px(3), plot.y1);
  const float y0 = std::clamp(y_of(scale_.top), plot.y0, y1 - drawing.px(3));
  drawing.sink.fill({track.x0, y0, track.x1, y1}, drawing.theme.accent_fill);
}

void MemoryChart::draw_hint(const DrawContext& drawing) const {
  if (regions_.hint.height() <= 0 || source_.kind != MemorySource::Kind::opened) return;
  constexpr std::string_view kBetween[] = {"   "};
  text_in(drawing.sink, regions_.hint, TextStyle::small, drawing.theme.text3,
          fitted_parts(drawing.sink, TextStyle::small, drawing.texts("memory.gestures"),
                       regions_.hint.width(), kBetween));
}

void MemoryChart::draw_grid(const DrawContext& drawing) const {
  const Rect& plot = regions_.plot;
  for (const Tick& tick : y_ticks_.ticks) {
    const float y = std::round(scale_.y_of(static_cast<std::int64_t>(tick.position)));
    if (y <= plot.y0 || y >= plot.y1) continue;
    drawing.sink.fill({plot.x0, y, plot.x1, y + 1}, drawing.theme.grid);
  }
}

void MemoryChart::draw_axes(const DrawContext& drawing, const ViewContext& context) const {
  const Rect& plot = regions_.plot;
  const float small = drawing.sink.text_height(TextStyle::small);
  for (const Tick& tick : y_ticks_.ticks) {
    const float y = scale_.y_of(static_cast<std::int64_t>(tick.position));
    const float top = std::clamp(std::round(y - small / 2), plot.y0, plot.y1 - small / 2);
    text_right(drawing.sink, {regions_.y_labels.x0, top, plot.x0 - drawing.px(8), top + small},
               TextStyle::small, drawing.theme.text3, tick.label);
  }
  // The unit is written once, at the end of the axis.
  text_right(drawing.sink,
             {regions_.y_labels.x0, regions_.bands.y0, plot.x0 - drawing.px(8), regions_.bands.y1},
             TextStyle::small, drawing.theme.text3, y_ticks_.unit);
  drawing.sink.fill({plot.x0 - 1, regions_.bands.y0, plot.x0, plot.y1}, drawing.theme.line);
  drawing.sink.fill({plot.x0 - 1, plot.y1, plot.x1, plot.y1 + 1}, drawing.theme.line);

  const memory::AllocationLog& log = *source_.log;
  const Rect& labels = regions_.x_labels;
  const bool time = axis_.kind == memory::Axis::time;
  const std::int64_t first = log.events()[0].time_ns;
  const std::int64_t origin = time ? source_.range.begin - first : 0;
  const float apart = drawing.metrics.px(76);
  const Ticks ticks =
      time ? time_ticks(axis_.axis.range, origin, plot.width(), apart)
           : event_ticks(axis_.axis.range, source_.event_numbers, plot.width(), apart);
  const std::string unit = time ? ticks.unit : std::string(drawing.texts("memory.events"));
  const float unit_width = drawing.sink.text_width(TextStyle::small, unit);
  const Rect unit_box{labels.x1 - unit_width, labels.y0, labels.x1 + 1, labels.y1};
  float taken = labels.x0 - drawing.metrics.px(20);
  for (const Tick& tick : ticks.ticks) {
    const double place = tick.position + static_cast<double>(origin);
    const float x = std::round(axis_.axis.x_of(static_cast<std::int64_t>(place)));
    if (x < plot.x0 || x >= plot.x1) continue;
    drawing.sink.fill({x, plot.y1, x + 1, plot.y1 + drawing.px(4)}, drawing.theme.text3);
    const float width = drawing.sink.text_width(TextStyle::small, tick.label);
    const float left = std::round(x - width / 2);
    if (left < taken || left + width > unit_box.x0 - drawing.px(6)) continue;
    taken = left + width + drawing.px(6);
    text_in(drawing.sink, {left, labels.y0 + drawing.px(4), left + width + 1, labels.y1},
            TextStyle::small, drawing.theme.text2, tick.label);
  }
  text_in(drawing.sink, {unit_box.x0, labels.y0 + drawing.px(4), unit_box.x1, labels.y1},
          TextStyle::small, drawing.theme.text3, unit);
  // The range of the timeline, if it differs from this one.
  if (linkable(context) && !context.state.link_axes && !context.state.visible.empty()) {
    const float x0 = axis_.axis.x_of(place_of_time(log, axis_.kind, context.state.visible.begin));
    const float x1 = axis_.axis.x_of(place_of_time(log, axis_.kind, context.state.visible.end));
    const float left = std::clamp(std::round(x0), plot.x0, plot.x1);
    const float right = std::clamp(std::round(std::max(x1, x0 + 3)), plot.x0, plot.x1);
    if (right > left)
      drawing.sink.fill({left, plot.y1 + 1, right, plot.y1 + 1 + drawing.px(4)},
                        drawing.theme.accent);
  }
}

void MemoryChart::draw_overlays(const DrawContext& drawing, const ViewContext& context) const {
  const Rect& plot = regions_.plot;
  const memory::AllocationLog& log = *source_.log;
  drawing.sink.push_clip({plot.x0, regions_.bands.y0, plot.x1, plot.y1});
  if (const auto& marked = context.state.marked) {
    const float x0 = axis_.axis.x_of(place_of_time(log, axis_.kind, marked->begin));
    const float x1 = axis_.axis.x_of(place_of_time(log, axis_.kind, marked->end));
    const float left = std::clamp(std::round(x0), plot.x0, plot.x1);
    const float right = std::clamp(std::round(x1), plot.x0, plot.x1);
    if (right > left)
      drawing.sink.fill({left, plot.y0, right, plot.y1}, with_alpha(drawing.theme.accent, 0.10F));
  }
  const auto& selected = context.state.selected_block;
  const auto& hovered = context.state.hovered_block;
  if (hovered && hovered != selected && *hovered < log.blocks().size())
    stack_.outline(drawing.sink, axis_, scale_, log, *hovered, with_alpha(drawing.theme.text, 0.6F),
                   1);
  if (selected && *selected < log.blocks().size())
    stack_.outline(drawing.sink, axis_, scale_, log, *selected, drawing.theme.text, drawing.px(2));
  if (const auto box = gestures_.box()) {
    const Rect rect{std::round(box->x0), std::round(box->y0),
                    std::max(std::round(box->x1), box->x0 + 1),
                    std::max(std::round(box->y1), box->y0 + 1)};
    drawing.sink.fill(rect, with_alpha(drawing.theme.accent, 0.16F));
    drawing.sink.outline(rect, drawing.theme.accent, 1);
  }
  if (const auto at = cursor(context)) {
    const float x = std::round(axis_.axis.x_of(place_of_time(log, axis_.kind, *at)));
    if (x >= plot.x0 && x < plot.x1) {
      drawing.sink.fill({x, plot.y0, x + 1, plot.y1}, with_alpha(drawing.theme.text, 0.8F));
      const std::string words = moment_text(drawing.texts, *at);
      const float width = drawing.sink.text_width(TextStyle::small, words) + drawing.px(12);
      const float height = drawing.sink.text_height(TextStyle::small) + drawing.px(4);
      const float left =
          x + drawing.px(6) + width <= plot.x1 ? x + drawing.px(6) : x - drawing.px(6) - width;
      const Rect plate{std::round(left), plot.y0 + drawing.px(3), std::round(left + width),
                       plot.y0 + drawing.px(3) + height};
      draw_plate(drawing.sink, drawing.theme, drawing.metrics, plate, TextStyle::small,
                 drawing.theme.text, words);
    }
  }
  drawing.sink.pop_clip();
}

}  // namespace ts::views
