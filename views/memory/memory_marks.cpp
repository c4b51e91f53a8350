#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "core/files/opened_file.h"
#include "core/text/numbers.h"
#include "views/charts/labels.h"
#include "views/charts/read_out.h"
#include "views/common/spec_text.h"
#include "views/memory/memory_draw_context.h"

namespace ts::views {

namespace {

// "reserved 84.0 MiB on RTX 4090, predicted"
std::string reserved_text(const text::Texts& texts, const predict::Forecast& card) {
  return texts("memory.reserved_predicted",
               {{"size", text::bytes(card.prediction.chain.reserved()).joined()},
                {"card", limit_text(texts, card.target.name)}});
}

}  // namespace

// A prediction is shown next to a measured log.
bool MemoryChart::compares(const ViewContext& context) const {
  return context.forecast != nullptr && source_.kind == MemorySource::Kind::measured;
}

// If records of a run were lost, its blocks are incomplete.
bool MemoryChart::has_losses(const ViewContext& context) const {
  return source_.kind == MemorySource::Kind::measured && context.run != nullptr &&
         context.run->dropped > 0;
}

// The peak of what is drawn. With losses that is not the true peak, which the allocator knows.
std::string MemoryChart::peak_text(const ViewContext& context, const std::string& drawn) const {
  const auto device = files::device_of_file(context.file, context.file_device);
  if (source_.kind == MemorySource::Kind::opened && device)
    return context.texts("memory.peak_of_device",
                         {{"number", std::to_string(*device)}, {"size", drawn}});
  if (!has_losses(context)) return context.texts(peak_key(), {{"size", drawn}});
  return context.texts(
      "memory.peak_lost",
      {{"size", drawn}, {"peak", text::bytes(context.run->peak_allocated()).joined()}});
}

void MemoryChart::draw_outline(const DrawContext& drawing, const ViewContext& context) const {
  if (!compares(context)) return;
  const float wide = drawing.metrics.scale >= 1.5F ? 2.5F : drawing.metrics.px(1.4F);
  outline_.draw(drawing.sink, *source_.log, context.forecast->run.log, axis_, scale_,
                drawing.theme.text, wide, drawing.px(4), drawing.px(3));
}

const predict::Forecast* MemoryChart::target(const ViewContext& context) const {
  if (context.outlook == nullptr || context.outlook->target == nullptr) return nullptr;
  const predict::Forecast& target = *context.outlook->target;
  const bool same = context.target_bytes > 0 && target.target.memory == context.target_bytes;
  return same ? &target : nullptr;
}

const predict::Forecast* MemoryChart::chained(const ViewContext& context) const {
  return refusal(context) ? nullptr : target(context);
}

// The CPU's allocator holds nothing back, and an explicit limit does not include the context.
std::string MemoryChart::context_text(const ViewContext& context) const {
  const auto refused = refusal(context);
  const predict::Forecast* const card = target(context);
  const bool here = refused && !refused->predicted;
  if (card != nullptr && card->target.context > 0 && !here) {
    return context.texts("memory.context", {{"size", text::bytes(card->target.context).joined()}});
  }
  if (source_.kind != MemorySource::Kind::measured || context.run == nullptr) return {};
  if (context.run->spec.device != spec::DeviceKind::cpu) return {};
  return context.texts(card == nullptr || here ? "memory.cpu_has_none"
                                               : "memory.limit_without_context");
}

const char* MemoryChart::peak_key() const {
  switch (source_.kind) {
    case MemorySource::Kind::predicted:
      return "memory.peak_predicted";
    case MemorySource::Kind::opened:
      return "memory.peak_opened";
    case MemorySource::Kind::measured:
      break;
  }
  return "memory.peak";
}

// At the left end of its line, or under the line if it would be above `ceiling`. At the upper edge
// if the line is too high to be drawn. Right of `taken` if it would overlap it.
Rect MemoryChart::level_place(const DrawContext& drawing, std::int64_t bytes, float ceiling,
                              const Rect& taken, const std::string& words) const {
  const Rect& plot = regions_.plot;
  const float small = drawing.sink.text_height(TextStyle::small);
  const float line = std::round(scale_.y_of(bytes));
  const bool above = line < plot.y0;
  float y = above ? plot.y0 + drawing.px(3) : line - small - drawing.px(1);
  if (!above && y < ceiling) y = line + drawing.px(2);
  if (y < plot.y0 || y + small > plot.y1) return {};
  float x = plot.x0 + drawing.px(6);
  const float width = drawing.sink.text_width(TextStyle::small, words);
  // One text line lower if it would overlap the name of the card, both with their arrows.
  const float card = drawing.sink.text_width(TextStyle::small, capacity_name_) + drawing.px(16);
  if (above && scale_.capacity_above && x + width + drawing.px(20) > plot.x1 - card)
    y += small + drawing.px(2);
  if (overlap({x, y, x + width, y + small}, taken)) {
    x = taken.x1 + drawing.px(6);
    if (x + width > plot.x1) return {};
  }
  return {x, y, x + width, y + small};
}

// With an arrow if the line is too high to be drawn.
void MemoryChart::level_label(const DrawContext& drawing, std::int64_t bytes, float ceiling,
                              const Rect& taken, Color color, const std::string& words) const {
  const Rect at = level_place(drawing, bytes, ceiling, taken, words);
  if (at.width() <= 0) return;
  const Rect& plot = regions_.plot;
  text_in(drawing.sink, {at.x0, at.y0, plot.x1, at.y1}, TextStyle::small, color, words);
  if (std::round(scale_.y_of(bytes)) >= plot.y0) return;
  const float s = drawing.px(4);
  const Point tip{at.x1 + drawing.px(5) + s, (at.y0 + at.y1) / 2 - s};
  drawing.sink.triangle(tip, {tip.x - s, tip.y + 2 * s}, {tip.x + s, tip.y + 2 * s}, color);
}

void MemoryChart::draw_layers(const DrawContext& drawing, const ViewContext& context) const {
  const float wide = std::max(1.0F, std::round(drawing.metrics.px(1.5F)));
  const auto layer = [&](const std::vector<memory::Reserved>& of, Color color, const char* key) {
    if (of.empty()) return;
    draw_layer(drawing.sink, *source_.log, of, axis_, scale_, color, wide);
    // At the left end of its line where that is the value at the right edge, too.
    const Rect& plot = regions_.plot;
    const std::int64_t bytes = layer_bytes_at(*source_.log, of, axis_, plot.x1);
    const std::string words = drawing.texts(key, {{"size", text::bytes(bytes).joined()}});
    const Rect at = level_place(drawing, bytes, 0, {}, words);
    if (layer_bytes_at(*source_.log, of, axis_, at.x1) == bytes || scale_.y_of(bytes) < plot.y0) {
      level_label(drawing, bytes, 0, {}, color, words);
    } else {
      text_right(drawing.sink, {at.x0, at.y0, plot.x1 - drawing.px(6), at.y1}, TextStyle::small,
                 color, words);
    }
  };
  layer(layers_.reserved, drawing.theme.accent, "memory.reserved");
  layer(layers_.used, drawing.theme.warn, "memory.used_on_device");
  draw_reserved(drawing, context);
}

// The memory that the target's allocator would hold, if the run's own value is not shown.
std::optional<MemoryChart::Level> MemoryChart::reserved_level(const DrawContext& drawing,
                                                              const ViewContext& context) const {
  const predict::Forecast* const target = chained(context);
  if (target == nullptr || target->target.kind != spec::DeviceKind::cuda) return std::nullopt;
  if (!layers_.reserved.empty()) return std::nullopt;
  const std::int64_t reserved = target->prediction.chain.reserved();
  const std::int64_t capacity = context.target_bytes - target->target.context;
  std::string unused;
  return Level{reserved, reserved_text(drawing.texts, *target),
               reserved > capacity ? 0 : scale_.y_of(capacity),
               peak_plate(drawing, context, unused)};
}

// True if the line of the reserved memory is between these heights.
bool MemoryChart::meets_reserved(const DrawContext& drawing, const ViewContext& context, float y0,
                                 float y1) const {
  const auto level = reserved_level(drawing, context);
  const float y = level ? std::round(scale_.y_of(level->bytes)) : y1;
  return y >= y0 && y < y1;
}

float MemoryChart::below_context(const DrawContext& drawing, const ViewContext& context) const {
  const predict::Forecast* const target = this->target(context);
  const std::int64_t taken = target != nullptr ? target->target.context : 0;
  return std::round(scale_.y_of(context.target_bytes - taken)) + drawing.px(3);
}

void MemoryChart::draw_reserved(const DrawContext& drawing, const ViewContext& context) const {
  const auto level = reserved_level(drawing, context);
  if (!level) return;
  const Rect& plot = regions_.plot;
  const float y = std::round(scale_.y_of(level->bytes));
  if (y >= plot.y0 && y < plot.y1)
    drawing.sink.fill({plot.x0, y, plot.x1, y + 1}, drawing.theme.text2);
  level_label(drawing, level->bytes, level->ceiling, level->plate, drawing.theme.text2,
              level->words);
}

// The place of the peak plate. Empty if the peak is out of view, or if the refusal is shown
// instead.
Rect MemoryChart::peak_plate(const DrawContext& drawing, const ViewContext& context,
                             std::string& words) const {
  const memory::AllocationLog& log = *source_.log;
  const memory::EventIndex event = log.peak_event();
  if (event == memory::kNone) return {};
  const Rect& plot = regions_.plot;
  // The last event is on the right edge, and is often the peak.
  const float x = std::round(x_of_event(event));
  const float y = std::round(scale_.y_of(log.peak_bytes()));
  if (x < plot.x0 || x > plot.x1 || y < plot.y0 || y > plot.y1) return {};
  const auto refused = refusal(context);
  if (refused && std::abs(x_of_event(refused->event) - x) < drawing.px(160)) return {};
  const float s = drawing.px(6);
  const bool measured = source_.kind == MemorySource::Kind::measured;
  const std::string peak = text::bytes(log.peak_bytes()).joined();
  words = peak_text(context, peak);
  // A partial run has not reached its peak, so comparing it with the prediction of the whole run
  // makes no sense.
  if (const char* const partial = measured ? partial_key(context) : nullptr) {
    words =
        drawing.texts("memory.peak_so_far", {{"size", peak}, {"partial", drawing.texts(partial)}});
  } else if (compares(context) && !has_losses(context)) {
    const std::int64_t expected = context.forecast->run.log.peak_bytes();
    words = drawing.texts("memory.peak_compared",
                          {{"size", peak},
                           {"predicted", text::bytes(expected).joined()},
                           {"error", prediction_error(expected, log.peak_bytes())}});
  }
  const float width = drawing.sink.text_width(TextStyle::small, words) + drawing.px(12);
  const float height = drawing.sink.text_height(TextStyle::small) + drawing.px(4);
  const bool right = x + 2 * s + drawing.px(6) + width <= plot.x1;
  const float left =
      std::max(plot.x0, right ? x + s + drawing.px(6) : x - s - drawing.px(6) - width);
  const float top = std::max(plot.y0, y - 1 - s * 1.5F - height + drawing.px(8));
  const Rect plate{std::round(left), std::round(top), std::round(left + width),
                   std::round(top + height)};
  // The words of a refusal tell the peak, too.
  const Rect with_mark{std::min(plate.x0, x - s), plate.y0, std::max(plate.x1, x + s), y};
  if (refused && overlap(refusal_plate(drawing, context).place, with_mark)) return {};
  return plate;
}

void MemoryChart::draw_peak(const DrawContext& drawing, const ViewContext& context) const {
  std::string words;
  const Rect plate = peak_plate(drawing, context, words);
  if (plate.width() <= 0) return;
  const memory::AllocationLog& log = *source_.log;
  const Rect& plot = regions_.plot;
  const float s = drawing.px(6);
  const float x = std::min(std::round(x_of_event(log.peak_event())), plot.x1 - 1);
  const float tip = std::round(scale_.y_of(log.peak_bytes())) - 1;
  const float back = std::max(tip - s * 1.5F, plot.y0);
  const float middle = std::clamp(x, plot.x0 + s, plot.x1 - s);
  drawing.sink.triangle({middle - s, back}, {middle + s, back}, {x, tip}, drawing.theme.text);
  draw_plate(drawing.sink, drawing.theme, drawing.metrics, plate, TextStyle::small,
             drawing.theme.text, words);
}

std::vector<Rect> MemoryChart::written(const DrawContext& drawing,
                                       const ViewContext& context) const {
  std::string unused;
  std::vector<Rect> found = {peak_plate(drawing, context, unused),
                             refusal_plate(drawing, context).place};
  if (const auto reserved = reserved_level(drawing, context)) {
    found.push_back(
        level_place(drawing, reserved->bytes, reserved->ceiling, reserved->plate, reserved->words));
  }
  std::erase_if(found, [](const Rect& one) { return one.width() <= 0; });
  return found;
}

void MemoryChart::draw_capacity(const DrawContext& drawing, const ViewContext& context) const {
  if (context.target_bytes <= 0 || source_.log->peak_event() == memory::kNone) return;
  const Rect& plot = regions_.plot;
  const float small = drawing.sink.text_height(TextStyle::small);
  const std::string& name = capacity_name_;
  const float width = drawing.sink.text_width(TextStyle::small, name) + 1;
  std::vector<Rect> taken = written(drawing, context);
  const auto free = [&](const Rect& place) {
    return place.x0 >= plot.x0 && place.y0 >= plot.y0 && place.y1 <= plot.y1 &&
           std::ranges::none_of(taken, [&](const Rect& one) { return overlap(place, one); });
  };
  if (scale_.capacity_above) {
    // Far above all allocations: a word at the upper edge with an arrow up.
    const float s = drawing.px(4);
    const float y = plot.y0 + drawing.px(4);
    const float base = y + s * 1.6F;
    const float top = std::max(plot.y0, std::round((y + base - small) / 2));
    const float right = plot.x1 - 2 * s - drawing.px(4) - 1;
    Rect label{right - width, top, right, top + small};
    if (!free(label))
      label = {plot.x0 + drawing.px(6), top, plot.x0 + drawing.px(6) + width, top + small};
    if (!free(label)) return;
    const float x = label.x1 + drawing.px(4) + s;
    drawing.sink.triangle({x - s, base}, {x + s, base}, {x, y}, drawing.theme.bad);
    text_right(drawing.sink, label, TextStyle::small, drawing.theme.bad, name);
    // The context belongs below that line, even if the line is out of the plot.
    const std::string words = context_text(context);
    const float wide = drawing.sink.text_width(TextStyle::small, words) + 1;
    const float end = label.x0 - drawing.px(15);
    if (const Rect place{end - wide, top, end, top + small}; free(place))
      text_right(drawing.sink, place, TextStyle::small, drawing.theme.text2, words);
    return;
  }
  if (!scale_.capacity_in_range) return;  // below what is in view
  const float y = std::round(scale_.y_of(context.target_bytes));
  const float half = std::max(1.0F, std::round(drawing.metrics.px(1)));
  drawing.sink.fill({plot.x0, y - half, plot.x1, y + half}, drawing.theme.bad);
  draw_context(drawing, context, y + half);
  // Above its line, or below if the line of the reserved memory would cross it. At the right end,
  // or at the left end if the peak or the refusal is there.
  const float over = y - half - small - drawing.px(1);
  const float under = below_context(drawing, context);
  const bool struck = meets_reserved(drawing, context, over, y);
  const auto refused = refusal(context);
  const auto at = [&](bool right, float top) {
    const float x = right ? plot.x1 - width : plot.x0 + drawing.px(6);
    return Rect{x, top, x + width, top + small};
  };
  const bool crowded = refused && x_of_event(refused->event) > at(true, over).x0 - drawing.px(60);
  std::vector<Rect> places;
  for (const float top : {struck ? under : over, struck ? over : under}) {
    places.push_back(at(!crowded, top));
    places.push_back(at(crowded, top));
  }
  const auto label = std::ranges::find_if(places, free);
  if (label != places.end()) {
    text_right(drawing.sink, *label, TextStyle::small, drawing.theme.bad, name);
    taken.push_back(*label);
  }
  draw_context_name(drawing, context, std::move(taken));
  std::string unused;
  const Rect plate = peak_plate(drawing, context, unused);
  draw_spare(drawing, context, plate);
  draw_missing(drawing, context, plate);
}

// Hatches the context below the capacity line.
void MemoryChart::draw_context(const DrawContext& drawing, const ViewContext& context,
                               float below) const {
  const auto refused = refusal(context);
  const predict::Forecast* const target = this->target(context);
  // A run that was refused here had no context to reserve.
  if (target == nullptr || target->target.context <= 0 || (refused && !refused->predicted)) return;
  const Rect& plot = regions_.plot;
  const float end = scale_.y_of(context.target_bytes - target->target.context);
  const Rect band{plot.x0, below, plot.x1,
                  std::min(plot.y1, std::max(std::round(end), below + drawing.px(3)))};
  drawing.sink.push_clip(band);
  const float step = drawing.px(6);
  for (float x = band.x0 - band.height(); x < band.x1; x += step) {
    drawing.sink.line({x, band.y1}, {x + band.height(), band.y0},
                      with_alpha(drawing.theme.bad, 0.5F));
  }
  drawing.sink.pop_clip();
}

void MemoryChart::draw_context_name(const DrawContext& drawing, const ViewContext& context,
                                    std::vector<Rect> taken) const {
  const std::string words = context_text(context);
  if (words.empty()) return;
  const Rect& plot = regions_.plot;
  const float small = drawing.sink.text_height(TextStyle::small);
  const float line = std::round(scale_.y_of(context.target_bytes));
  const float above = line - small - drawing.px(2);
  const bool struck = meets_reserved(drawing, context, above, line);
  const float y = struck ? below_context(drawing, context) : above;
  const float width = drawing.sink.text_width(TextStyle::small, words) + 1;
  Rect label{plot.x0 + drawing.px(6), y, plot.x0 + drawing.px(6) + width, y + small};
  std::ranges::sort(taken, {}, &Rect::x0);
  for (const Rect& other : taken) {
    if (!overlap(label, other)) continue;
    label.x0 = other.x1 + drawing.px(22);
    label.x1 = label.x0 + width;
  }
  if (label.y0 < plot.y0 || label.x1 > plot.x1) return;
  text_in(drawing.sink, label, TextStyle::small, drawing.theme.text2, words);
}

// The bracket between the reserved memory and the context, clear of the texts there. It shows the
// same number as the verdict.
void MemoryChart::draw_spare(const DrawContext& drawing, const ViewContext& context,
                             const Rect& plate) const {
  const predict::Forecast* const target = chained(context);
  if (target == nullptr) return;
  const Rect& plot = regions_.plot;
  const std::int64_t spare = target->prediction.headroom;
  if (spare <= 0) return;
  const float small = drawing.sink.text_height(TextStyle::small);
  const float y0 =
      std::round(scale_.y_of(context.target_bytes - target->target.context)) + drawing.px(4);
  const float y1 = std::round(scale_.y_of(target->prediction.chain.reserved()));
  if (y1 - y0 < small || y1 > plot.y1) return;
  const std::string words = drawing.texts("memory.spare", {{"size", text::bytes(spare).joined()}});
  const float needed = drawing.sink.text_width(TextStyle::small, words) + drawing.px(14);
  const float peak_x = x_of_event(source_.log->peak_event());
  float x = peak_x - needed - drawing.px(90);
  if (x < plot.x0 + drawing.px(12)) x = std::max(plate.x1, peak_x) + drawing.px(60);
  // The name of the reserved memory is at the left end of its line.
  const std::string reserved = reserved_text(drawing.texts, *target);
  const float named =
      plot.x0 + drawing.px(18) + drawing.sink.text_width(TextStyle::small, reserved);
  x = std::max(x, named);
  if (x + needed > plot.x1 || (x < plate.x1 && x + needed > plate.x0 && plate.y0 < y1)) return;
  draw_bracket(drawing, x, y0, y1, drawing.theme.ok, words);
}

// The reserved memory beyond what the card allows, in the middle, clear of the names at both ends
// of the lines.
void MemoryChart::draw_missing(const DrawContext& drawing, const ViewContext& context,
                               const Rect& plate) const {
  const predict::Forecast* const target = chained(context);
  if (target == nullptr || target->prediction.headroom >= 0) return;
  const Rect& plot = regions_.plot;
  const std::string words = drawing.texts(
      "memory.missing", {{"size", text::bytes(-target->prediction.headroom).joined()}});
  const float y0 = std::round(scale_.y_of(target->prediction.chain.reserved()));
  const float y1 = std::round(scale_.y_of(context.target_bytes - target->target.context));
  const float x = (plot.x0 + plot.x1) / 2;
  const float clear = drawing.px(280);  // for the names
  const float end = x + drawing.px(14) + drawing.sink.text_width(TextStyle::small, words);
  if (y0 < plot.y0 || y1 - y0 < drawing.sink.text_height(TextStyle::small)) return;
  if (x - clear < plot.x0 || end + drawing.px(140) > plot.x1) return;
  if (overlap({x, y0, end, y1}, plate)) return;
  draw_bracket(drawing, x, y0, y1, drawing.theme.bad, words);
}

void MemoryChart::draw_bracket(const DrawContext& drawing, float x, float y0, float y1, Color color,
                               const std::string& words) const {
  const Rect& plot = regions_.plot;
  const float small = drawing.sink.text_height(TextStyle::small);
  x = std::round(x);
  const float cap = drawing.px(3);
  const float thick = std::max(1.0F, std::round(drawing.metrics.px(1.5F)));
  drawing.sink.fill({x, y0, x + thick, y1}, color);
  drawing.sink.fill({x - cap, y0, x + cap + thick, y0 + thick}, color);
  drawing.sink.fill({x - cap, y1 - thick, x + cap + thick, y1}, color);
  const float middle = std::round((y0 + y1 - small) / 2);
  text_in(drawing.sink, {x + drawing.px(9), middle, plot.x1, middle + small}, TextStyle::small,
          color, words);
}

void MemoryChart::draw_live_edge(const DrawContext& drawing) const {
  if (!source_.growing) return;
  const memory::AllocationLog& log = *source_.log;
  const Rect& plot = regions_.plot;
  const auto last = static_cast<memory::EventIndex>(log.events().size() - 1);
  const float x = std::round(x_of_event(last)) + 1;
  if (x < plot.x0 || x > plot.x1 + 2) return;
  const float thick = std::max(1.0F, drawing.px(2));
  const float right = std::clamp(x + thick, plot.x0 + thick, plot.x1);
  drawing.sink.fill({right - thick, plot.y0, right, plot.y1}, drawing.theme.accent);
  std::string words = drawing.texts("memory.live");
  const auto phases = log.phases();
  if (!phases.empty() && phases.back().step >= 0)
    words = drawing.texts("memory.live_step", {{"number", text::grouped(phases.back().step + 1)}});
  const float width = drawing.sink.text_width(TextStyle::small, words) + drawing.px(12);
  const float height = drawing.sink.text_height(TextStyle::small) + drawing.px(4);
  const float gap = drawing.px(5);
  const bool beside = right + gap + width <= plot.x1;
  const float left = std::round(beside ? right + gap : right - thick - gap - width);
  const float y = plot.y0 + drawing.px(22);
  if (left >= plot.x0)
    draw_plate(drawing.sink, drawing.theme, drawing.metrics, {left, y, left + width, y + height},
               TextStyle::small, drawing.theme.accent, words);
}

}  // namespace ts::views
