// The refused allocation: its place, its size and why that much memory was not available.
#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "core/text/numbers.h"
#include "views/charts/labels.h"
#include "views/memory/memory_draw_context.h"

namespace ts::views {
namespace {

std::string size(std::int64_t bytes) {
  return text::bytes(bytes).joined();
}

}  // namespace

std::optional<MemoryChart::Refusal> MemoryChart::refusal(const ViewContext& context) const {
  if (source_.log == nullptr) return std::nullopt;
  const memory::AllocationLog& log = *source_.log;
  Refusal found;
  if (const auto recorded = log.out_of_memory(); recorded) {
    if (recorded->event >= log.events().size()) return std::nullopt;
    found.event = recorded->event;
    found.held = log.events()[recorded->event].total_after;
    found.asked = recorded->bytes_asked;
    found.op = context.strings.view(recorded->op);
    found.module = context.strings.view(recorded->module);
    if (source_.limit > 0) found.free = std::max<std::int64_t>(0, source_.limit - found.held);
    return found;
  }
  if (source_.kind != MemorySource::Kind::predicted || context.forecast == nullptr)
    return std::nullopt;
  const auto& breaking = context.forecast->prediction.breaking;
  if (!breaking || breaking->event >= log.events().size()) return std::nullopt;
  found.event = breaking->event;
  found.held = log.events()[breaking->event].total_after - breaking->bytes;
  found.asked = breaking->bytes;
  found.op = breaking->op;
  found.module = breaking->module;
  found.free = breaking->free;
  found.fragmented = breaking->fragmented;
  found.predicted = true;
  found.capacity = context.forecast->target.capacity();
  const std::int64_t usable = std::max<std::int64_t>(0, breaking->free - breaking->fragmented);
  found.beyond = std::max<std::int64_t>(0, found.capacity - usable - found.held);
  return found;
}

std::vector<std::string> MemoryChart::refusal_lines(const Refusal& refused,
                                                    const ViewContext& context) const {
  const text::Texts& texts = context.texts;
  std::string op = slice_label(refused.op, trace::SliceClass::other, texts);
  if (!refused.module.empty()) {
    op = op.empty() ? refused.module
                    : texts("memory.op_in_module", {{"op", op}, {"module", refused.module}});
  }
  std::vector<std::string> lines;
  if (!refused.free) {
    lines.push_back(texts("memory.refused", {{"op", op}, {"asked", size(refused.asked)}}));
  } else {
    lines.push_back(
        texts("memory.refused_with_free",
              {{"op", op}, {"asked", size(refused.asked)}, {"free", size(*refused.free)}}));
    const std::int64_t missing = refused.asked - *refused.free;
    const bool pieces = refused.fragmented > 0;
    if (missing > 0) {
      lines.push_back(
          pieces ? texts("memory.short_fragmented",
                         {{"missing", size(missing)}, {"fragmented", size(refused.fragmented)}})
                 : texts("memory.short", {{"missing", size(missing)}}));
    } else if (pieces) {
      lines.push_back(texts("memory.only_fragmented", {{"fragmented", size(refused.fragmented)}}));
    }
  }
  if (refused.beyond > 0)
    lines.push_back(texts("memory.beyond_tensors", {{"size", size(refused.beyond)}}));
  if (compares(context) || refused.predicted) {
    lines.push_back(
        texts("memory.would_peak", {{"size", size(context.forecast->run.log.peak_bytes())}}));
  }
  return lines;
}

// A place of that size over the stack, left of `end` and as far right as possible: above the limit,
// else below it. Without any room, just left of `end`.
Rect MemoryChart::place_over_stack(Point size, float end, float gap) const {
  const Rect& plot = regions_.plot;
  const float limit = scale_.y_of(capacity_);
  const bool limited = scale_.capacity_in_range;
  const auto& columns = stack_.layout().columns;
  const auto at = [&](float x, float top) { return Rect{x, top, x + size.x, top + size.y}; };
  const auto clear = [&](float x, float top) {
    const float per_pixel = static_cast<float>(columns.size()) / std::max(plot.width(), 1.0F);
    const auto from = static_cast<std::size_t>(std::max(0.0F, (x - plot.x0) * per_pixel));
    const auto to =
        std::min(columns.size(), static_cast<std::size_t>((x + size.x - plot.x0) * per_pixel) + 1);
    std::int64_t most = 0;
    for (std::size_t i = from; i < to; ++i) most = std::max(most, columns[i].bytes);
    return scale_.y_of(most) > top + size.y + gap * 0.5F;
  };
  const float above = plot.y0 + gap;
  const float below = limited ? limit + gap * 1.5F : plot.y0 + gap * 2.5F;
  // The name of the limit is on its line.
  const bool room_above = limited && above + size.y + gap * 1.5F <= limit;
  for (const float top : {above, below}) {
    if (top == above && !room_above) continue;
    for (float x = end - gap - size.x; x >= plot.x0 + gap; x -= gap) {
      if (clear(x, top)) return at(std::round(x), top);
    }
  }
  return at(std::round(std::max(plot.x0, end - gap - size.x)), room_above ? above : below);
}

// Between the tensors and the refused block: memory that the card's allocator cannot use.
void MemoryChart::draw_beyond(const DrawContext& drawing, const Rect& band) const {
  if (band.height() < 1 || band.x1 <= band.x0) return;
  drawing.sink.fill(band, with_alpha(drawing.theme.text3, 0.35F));
  drawing.sink.outline(band, drawing.theme.text3, std::max(1.0F, drawing.px(1)));
}

MemoryChart::RefusalPlate MemoryChart::refusal_plate(const DrawContext& drawing,
                                                     const ViewContext& context) const {
  const auto refused = refusal(context);
  if (!refused) return {};
  const Rect& plot = regions_.plot;
  const float x = std::round(x_of_event(refused->event));
  if (x < plot.x0 || x > plot.x1) return {};
  const std::int64_t time = source_.log->events()[refused->event].time_ns;
  RefusalPlate made;
  made.title = drawing.texts(refused->predicted ? "memory.would_run_out" : "memory.out_of_memory",
                             {{"time", moment_text(drawing.texts, time)}});
  made.lines = refusal_lines(*refused, context);
  const float body = drawing.sink.text_height(TextStyle::body);
  const float small = drawing.sink.text_height(TextStyle::small);
  const float padding = drawing.px(8);
  const float gap = drawing.px(16);
  float text_width = drawing.sink.text_width(TextStyle::body_strong, made.title);
  for (const std::string& line : made.lines) {
    const auto style = &line == made.lines.data() ? TextStyle::body : TextStyle::small;
    text_width = std::max(text_width, drawing.sink.text_width(style, line));
  }
  const float width = std::min(plot.width(), 2 * padding + std::ceil(text_width));
  // Lines one em apart are too close to read.
  const float between = drawing.px(4);
  const auto further = static_cast<float>(std::max<std::size_t>(made.lines.size(), 1) - 1);
  const float wanted = 2 * (body + padding) + between + (small + between) * further;
  const float height = std::min(wanted, plot.height());
  const bool beside = x + gap + width <= plot.x1;
  Rect& plate = made.place;
  plate = place_over_stack({width, height}, x, gap);
  if (beside) plate = {x + gap, plate.y0, x + gap + width, plate.y1};
  const float sink_by = std::max(0.0F, plate.y1 - plot.y1);
  plate.y0 -= sink_by;
  plate.y1 -= sink_by;
  return made;
}

void MemoryChart::draw_out_of_memory(const DrawContext& drawing, const ViewContext& context) const {
  const auto refused = refusal(context);
  if (!refused) return;
  const Rect& plot = regions_.plot;
  const float x = std::round(x_of_event(refused->event));
  if (x < plot.x0 || x > plot.x1) return;
  const float below = std::clamp(std::round(scale_.y_of(refused->base())), plot.y0, plot.y1);
  const float above = std::clamp(std::round(scale_.y_of(refused->top())), plot.y0, below);
  // The hollow block of the refused size, at least tall enough to be recognized.
  const float wide = drawing.px(34);
  const bool right = x + wide <= plot.x1;
  const Rect block{std::max(right ? x : x - wide, plot.x0),
                   std::max(std::min(above, below - drawing.px(4)), plot.y0), right ? x + wide : x,
                   below};
  const auto [title, lines, plate] = refusal_plate(drawing, context);
  const float body = drawing.sink.text_height(TextStyle::body);
  const float small = drawing.sink.text_height(TextStyle::small);
  const float padding = drawing.px(8);
  const float between = drawing.px(4);
  const bool beside = plate.x0 > x;

  const float thin = std::max(1.0F, drawing.px(1));
  const float middle = (plate.y0 + plate.y1) / 2;
  const float from = beside ? x : plate.x1;
  const float to = beside ? plate.x0 : x;
  drawing.sink.fill({std::min(x, plot.x1 - thin), plot.y0, std::min(x + thin, plot.x1), plot.y1},
                    with_alpha(drawing.theme.bad, 0.6F));
  if (to > from) drawing.sink.fill({from, middle, to, middle + thin}, drawing.theme.bad);
  const float held = std::clamp(std::round(scale_.y_of(refused->held)), below, plot.y1);
  draw_beyond(drawing, {block.x0, below, block.x1, held});
  if (block.x1 > block.x0) {
    drawing.sink.fill(block, with_alpha(drawing.theme.bad, 0.25F));
    drawing.sink.outline(block, drawing.theme.bad, std::max(1.0F, drawing.px(1.5F)));
  }
  const float s = drawing.px(5);
  const float cx = std::clamp(x, plot.x0 + s, plot.x1 - s);
  const float cy = std::clamp(block.y0, plot.y0 + s, plot.y1 - s);
  drawing.sink.line({cx - s, cy - s}, {cx + s, cy + s}, drawing.theme.bad, drawing.px(2));
  drawing.sink.line({cx - s, cy + s}, {cx + s, cy - s}, drawing.theme.bad, drawing.px(2));
  drawing.sink.fill(plate, drawing.theme.surface2, drawing.px(3));
  drawing.sink.push_clip(plate);
  float y = plate.y0 + padding;
  const auto line_of = [&](TextStyle style, Color color, const std::string& words, float high) {
    text_in(drawing.sink, {plate.x0 + padding, y, plate.x1, y + high}, style, color, words);
    y += high + between;
  };
  line_of(TextStyle::body_strong, drawing.theme.bad, title, body);
  for (const std::string& line : lines) {
    const bool first = &line == lines.data();
    line_of(first ? TextStyle::body : TextStyle::small,
            first ? drawing.theme.text : drawing.theme.text2, line, first ? body : small);
  }
  drawing.sink.pop_clip();
}

}  // namespace ts::views
