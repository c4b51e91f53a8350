// Labels for the parts of the steps: phases above the plot, with the part that a backward
// recomputes; steps and micro-batches below it.
#include <algorithm>
#include <array>
#include <cmath>
#include <string>
#include <vector>

#include "core/text/numbers.h"
#include "core/trace/slice_class.h"
#include "views/charts/labels.h"
#include "views/memory/memory_draw_context.h"
#include "views/memory/step_parts.h"

namespace ts::views {

float MemoryChart::x_of(memory::EventIndex event, std::int64_t time_ns) const {
  const std::int64_t place = axis_.kind == memory::Axis::event
                                 ? std::int64_t{event} * kEventUnit
                                 : place_of_time(*source_.log, axis_.kind, time_ns);
  return std::round(axis_.axis.x_of(place));
}

// An open span ends with the log.
MemoryChart::Extent MemoryChart::extent(memory::EventIndex first, std::int64_t begin_ns,
                                        memory::EventIndex end, std::int64_t end_ns) const {
  const auto events = source_.log->events();
  const auto all = static_cast<memory::EventIndex>(events.size());
  const Rect& plot = regions_.plot;
  return {std::clamp(x_of(first, begin_ns), plot.x0, plot.x1),
          std::clamp(x_of(std::min(end, all), end_ns == 0 ? events.back().time_ns : end_ns),
                     plot.x0, plot.x1)};
}

void MemoryChart::draw_bands(const DrawContext& drawing) const {
  for (const memory::PhaseSpan& span : source_.log->phases()) {
    if (span.phase == base::Phase::idle) continue;
    if (span.phase == base::Phase::backward) {
      draw_backward(drawing, span);
      continue;
    }
    const Extent at = extent(span.first_event, span.begin_ns, span.end_event, span.end_ns);
    draw_band(drawing, at, span.phase, drawing.texts(phase_key(span.phase)));
  }
  draw_step_names(drawing);
}

void MemoryChart::draw_band(const DrawContext& drawing, Extent at, base::Phase looks_like,
                            const std::string& words) const {
  const auto [x0, x1] = at;
  if (x1 - x0 < 1) return;
  const Rect& bands = regions_.bands;
  const auto slice_class = static_cast<std::size_t>(trace::class_of(looks_like));
  const float gap = x1 - x0 >= 4 ? 1.0F : 0.0F;
  drawing.sink.fill({x0, bands.y0, x1 - gap, bands.y1}, drawing.theme.slice[slice_class]);
  text_in(drawing.sink, {x0 + drawing.px(6), bands.y0, x1 - drawing.px(3), bands.y1},
          TextStyle::small, drawing.theme.slice_text[slice_class], words);
}

namespace {

// The longest of the texts that fits. Empty if none fits.
std::string longest(const DrawSink& sink, float width, const std::array<std::string, 3>& words) {
  for (const std::string& one : words) {
    if (sink.text_width(TextStyle::small, one) <= width) return one;
  }
  return {};
}

}  // namespace

// A backward, and the forward parts that it recomputes, drawn like a forward.
void MemoryChart::draw_backward(const DrawContext& drawing, const memory::PhaseSpan& span) const {
  const memory::AllocationLog& log = *source_.log;
  const std::string backward = drawing.texts(phase_key(span.phase));
  const std::string recompute = drawing.texts("memory.recompute");
  const Extent whole = extent(span.first_event, span.begin_ns, span.end_event, span.end_ns);
  float x = whole.x0;
  for (const memory::RecomputeSpan& again : log.recomputations()) {
    if (again.first_event < span.first_event) continue;
    if (again.first_event >= span.end_event) break;
    const Extent at = extent(again.first_event, again.begin_ns, again.end_event, again.end_ns);
    if (at.x1 - at.x0 < 1) continue;
    draw_band(drawing, {x, at.x0}, span.phase, backward);
    const std::string part = common_module(drawing.strings.view(again.first_module),
                                           drawing.strings.view(again.last_module), drawing.texts);
    const std::string whole_name =
        part.empty() ? recompute : drawing.texts("memory.recompute_part", {{"part", part}});
    const float room = at.x1 - at.x0 - drawing.px(9);
    draw_band(
        drawing, at, base::Phase::forward,
        longest(drawing.sink, room, {whole_name, part.empty() ? recompute : part, recompute}));
    x = at.x1;
  }
  draw_band(drawing, {x, whole.x1}, span.phase, backward);
}

void MemoryChart::draw_step_names(const DrawContext& drawing) const {
  if (!regions_.has_steps()) return;
  const auto centred = [&](Extent at, const std::string& words) {
    const float width = drawing.sink.text_width(TextStyle::small, words);
    const float x = std::round((at.x0 + at.x1 - width) / 2);
    text_in(drawing.sink, {x, regions_.steps.y0, x + width + 1, regions_.steps.y1},
            TextStyle::small, drawing.theme.text3, words);
  };
  const std::vector<MicroBatch> parts = micro_batches(source_.log->phases());
  bool named = false;
  for (const MicroBatch& part : parts) {
    const Extent at = extent(part.first_event, part.begin_ns, part.end_event, part.end_ns);
    const std::string step = text::grouped(part.step + 1);
    const std::string number = text::grouped(part.number);
    const std::string count = text::grouped(part.count);
    const std::string words =
        longest(drawing.sink, at.x1 - at.x0 - 6,
                {drawing.texts("memory.step_micro_batch",
                               {{"step", step}, {"number", number}, {"count", count}}),
                 drawing.texts("memory.micro_batch", {{"number", number}, {"count", count}}),
                 drawing.texts("memory.part_of", {{"number", number}, {"count", count}})});
    if (words.empty()) continue;
    centred(at, words);
    named = true;
  }
  if (named) return;
  std::int32_t step = -1;
  Extent at;
  const auto name_step = [&] {
    if (step < 0) return;
    const std::string name = drawing.texts("timeline.step", {{"number", text::grouped(step + 1)}});
    if (drawing.sink.text_width(TextStyle::small, name) <= at.x1 - at.x0 - 4) centred(at, name);
  };
  for (const memory::PhaseSpan& span : source_.log->phases()) {
    if (span.phase == base::Phase::idle) continue;
    const Extent here = extent(span.first_event, span.begin_ns, span.end_event, span.end_ns);
    if (span.step != step) {
      name_step();
      step = span.step;
      at.x0 = here.x0;
    }
    at.x1 = here.x1;
  }
  name_step();
}

// Behind the memory: lines at the begin of steps and micro-batches, a light fill where a backward
// recomputes.
void MemoryChart::draw_parts_of_steps(const DrawContext& drawing) const {
  const memory::AllocationLog& log = *source_.log;
  const Rect& plot = regions_.plot;
  const auto line = [&](memory::EventIndex event, std::int64_t time_ns) {
    const float x = x_of(event, time_ns);
    if (x > plot.x0 && x < plot.x1)
      drawing.sink.fill({x, regions_.bands.y1, x + 1, plot.y1}, drawing.theme.grid);
  };
  std::int32_t step = -2;
  for (const memory::PhaseSpan& span : log.phases()) {
    if (span.step == step) continue;
    step = span.step;
    line(span.first_event, span.begin_ns);
  }
  for (const MicroBatch& part : micro_batches(log.phases())) {
    if (part.number > 1) line(part.first_event, part.begin_ns);
  }
  for (const memory::RecomputeSpan& again : log.recomputations()) {
    const Extent at = extent(again.first_event, again.begin_ns, again.end_event, again.end_ns);
    if (at.x1 - at.x0 < 1) continue;
    drawing.sink.fill({at.x0, plot.y0, at.x1, plot.y1},
                      with_alpha(recompute_color(drawing.theme), 0.45F));
  }
}

}  // namespace ts::views
